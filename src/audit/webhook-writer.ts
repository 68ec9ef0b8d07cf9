/** Sends batches of events to a webhook as an EventList, again after faults that may pass. */
import { Backoff } from '../base/backoff.ts';
import type { JsonObject } from '../base/json.ts';
import { pause } from '../base/pause.ts';
import { StatusError } from '../meta/status.ts';
import type { AuditLine } from './types.ts';
import type { AuditWriter } from './writer.ts';

export interface WebhookParts {
  /** Rejects with a StatusError where the webhook refuses. */
  readonly post: (body: JsonObject, signal: AbortSignal) => Promise<unknown>;
  readonly close: () => void;
  /** Group and version of the events. */
  readonly apiVersion: string;
  /** Pause before the second attempt; later ones are longer. */
  readonly initialBackoffMs: number;
}

const maxAttempts = 5;
const attemptMs = 30_000;
/** Of the first pause. */
const longestPause = 8;

export class WebhookWriter implements AuditWriter {
  private readonly parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.parts = parts;
  }

  async write(lines: readonly AuditLine[], signal: AbortSignal): Promise<void> {
    const { post, apiVersion, initialBackoffMs: firstMs } = this.parts;
    const items = lines.map((line) => JSON.parse(line) as JsonObject);
    const body = { kind: 'EventList', apiVersion, metadata: {}, items };
    const backoff = new Backoff({ firstMs, maxMs: longestPause * firstMs });
    for (let attempt = 1; ; attempt++) {
      try {
        await post(body, AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]));
        return;
      } catch (error) {
        if (attempt >= maxAttempts || signal.aborted || !mayPass(error)) throw error;
      }
      await pause(backoff.nextMs(), signal);
    }
  }

  close(): Promise<void> {
    this.parts.close();
    return Promise.resolve();
  }
}

/** Connections that break and servers that are busy may be well again soon; a refusal stays one. */
function mayPass(error: unknown): boolean {
  return !(error instanceof StatusError) || error.status.code === 429 || error.status.code >= 500;
}
