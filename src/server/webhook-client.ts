/** Questions to a webhook while a request waits: over kept HTTPS connections, with deadlines, tried again after faults that pass. */
import { Backoff } from '../base/backoff.ts';
import { messageOf } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { pause } from '../base/pause.ts';
import { StatusError } from '../meta/status.ts';
import { HttpsTransport, LongAnswerError, type TransportOptions } from './controllers/https-transport.ts';
import type { ApiAccess } from './controllers/kubeconfig.ts';

/** Where a webhook is and who to be there; plain data. */
export interface WebhookAccess extends Omit<ApiAccess, 'server'> {
  /** `https://host:port/path` */
  readonly server: string;
}

/** As a client configuration file says it. */
export interface ConfiguredWebhook extends WebhookAccess {
  /** The file and those that it names. */
  readonly files: readonly string[];
}

/** Longest time for one attempt and for all of them together, and how many. */
const attemptMs = 10_000;
const wholeMs = 30_000;
const maxAttempts = 5;
const betweenAttempts = { firstMs: 250, maxMs: 4_000 };
/** Bytes, unless a client wants more: what one answer holds is parsed in one go, and a verdict is short. */
const longestAnswer = 1024 * 1024;

/** The deadline of a question that is asked but once. */
export interface Once {
  readonly timeoutSeconds: number;
  /** Of whoever waits for the answer. */
  readonly signal: AbortSignal;
}

export type WebhookClientOptions = Omit<TransportOptions, 'repeats'>;

export class WebhookClient {
  private readonly transport: HttpsTransport;
  private url: URL;
  private readonly closing = new AbortController();

  constructor(access: WebhookAccess, options: WebhookClientOptions = {}) {
    const server = new URL(access.server);
    this.transport = new HttpsTransport({ ...access, server }, { longestAnswer, repeats: true, ...options });
    this.url = server;
  }

  /** Asks there, as whoever this says, from now on; questions under way end as they began. */
  use(access: WebhookAccess): void {
    this.url = new URL(access.server);
    this.transport.use({ ...access, server: this.url });
  }

  /** Ends what is under way, and every later question at once. */
  close(): void {
    this.closing.abort();
    this.transport.close();
  }

  /** Asks without a second attempt, and tells the webhook how long it has. @throws Error that names the address */
  async askOnce(body: JsonObject, { timeoutSeconds, signal }: Once): Promise<JsonObject> {
    const limit = AbortSignal.timeout(timeoutSeconds * 1_000);
    const url = new URL(this.url);
    url.searchParams.set('timeout', `${String(timeoutSeconds)}s`);
    const ask = { method: 'POST', path: `${url.pathname}${url.search}`, body } as const;
    try {
      return await this.transport.json(ask, AbortSignal.any([this.closing.signal, signal, limit]));
    } catch (error) {
      const problem = limit.aborted ? 'context deadline exceeded' : problemOf(error);
      throw new Error(`Post ${JSON.stringify(url.href)}: ${problem}`, { cause: error });
    }
  }

  /** @throws StatusError when it refuses, Error when it does not answer in time */
  async ask(body: JsonObject): Promise<JsonObject> {
    const whole = AbortSignal.any([this.closing.signal, AbortSignal.timeout(wholeMs)]);
    const backoff = new Backoff(betweenAttempts);
    for (let attempt = 1; ; attempt++) {
      try {
        const signal = AbortSignal.any([whole, AbortSignal.timeout(attemptMs)]);
        const path = `${this.url.pathname}${this.url.search}`;
        return await this.transport.json({ method: 'POST', path, body }, signal);
      } catch (error) {
        if (whole.aborted || attempt >= maxAttempts || !mayPass(error)) throw error;
      }
      await pause(backoff.nextMs(), whole);
    }
  }
}

function problemOf(error: unknown): string {
  return error instanceof StatusError
    ? `the answer was ${String(error.code)} ${error.message}`
    : messageOf(error);
}

/** Connections that break and servers that are busy may be well again soon; a refusal stays one, and so does a flood. */
function mayPass(error: unknown): boolean {
  if (error instanceof LongAnswerError) return false;
  return !(error instanceof StatusError) || error.code === 429 || error.code >= 500;
}
