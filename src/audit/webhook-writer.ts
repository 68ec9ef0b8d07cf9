/** Sends batches of events to a webhook as an EventList, again after errors that may pass. */
import type { Environment } from '../base/environment.ts';
import { withRetries } from '../webhook/retry.ts';
import type { AuditLine } from './types.ts';
import type { AuditWriter } from './audit-writer.ts';

export interface WebhookBackendOptions extends Environment {
  /** Sends JSON text. Rejects with a StatusError when the webhook rejects the request. */
  readonly post: (text: string, signal: AbortSignal) => Promise<unknown>;
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
  private readonly parts: WebhookBackendOptions;

  constructor(parts: WebhookBackendOptions) {
    this.parts = parts;
  }

  async write(lines: readonly AuditLine[], signal: AbortSignal): Promise<void> {
    const { post, apiVersion, initialBackoffMs: firstMs } = this.parts;
    // Lines are JSON, and may be megabytes: they are not parsed again.
    const text = `{"kind":"EventList","apiVersion":${JSON.stringify(apiVersion)},"metadata":{},"items":[${lines.join(',')}]}`;
    const pauses = { firstMs, maxMs: longestPause * firstMs };
    await withRetries(
      this.parts,
      (attempt) => post(text, attempt),
      { maxAttempts, attemptMs, pauses },
      signal,
    );
  }

  close(): Promise<void> {
    this.parts.close();
    return Promise.resolve();
  }
}
