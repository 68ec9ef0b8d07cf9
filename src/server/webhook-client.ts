/** Questions to a webhook while a request waits: over kept HTTPS connections, with deadlines, tried again after faults that pass. */
import { Backoff } from '../base/backoff.ts';
import type { JsonObject } from '../base/json.ts';
import { pause } from '../base/pause.ts';
import { StatusError } from '../meta/status.ts';
import { HttpsTransport } from './controllers/https-transport.ts';
import type { ApiAccess } from './controllers/kubeconfig.ts';

/** Where a webhook is and who to be there; plain data. */
export interface WebhookAccess extends Omit<ApiAccess, 'server'> {
  /** `https://host:port/path` */
  readonly server: string;
}

/** Longest time for one attempt and for all of them together, and how many. */
const attemptMs = 10_000;
const wholeMs = 30_000;
const maxAttempts = 5;
const betweenAttempts = { firstMs: 250, maxMs: 4_000 };

export class WebhookClient {
  private readonly transport: HttpsTransport;
  private readonly path: string;
  private readonly closing = new AbortController();

  constructor(access: WebhookAccess) {
    const server = new URL(access.server);
    this.transport = new HttpsTransport({ ...access, server });
    this.path = `${server.pathname}${server.search}`;
  }

  /** Ends what is under way, and every later question at once. */
  close(): void {
    this.closing.abort();
    this.transport.close();
  }

  /** @throws StatusError when it refuses, Error when it does not answer in time */
  async ask(body: JsonObject): Promise<JsonObject> {
    const whole = AbortSignal.any([this.closing.signal, AbortSignal.timeout(wholeMs)]);
    const backoff = new Backoff(betweenAttempts);
    for (let attempt = 1; ; attempt++) {
      try {
        const signal = AbortSignal.any([whole, AbortSignal.timeout(attemptMs)]);
        return await this.transport.json({ method: 'POST', path: this.path, body }, signal);
      } catch (error) {
        if (whole.aborted || attempt >= maxAttempts || !mayPass(error)) throw error;
      }
      await pause(backoff.nextMs(), whole);
    }
  }
}

/** Connections that break and servers that are busy may be well again soon; a refusal stays one. */
function mayPass(error: unknown): boolean {
  return !(error instanceof StatusError) || error.code === 429 || error.code >= 500;
}
