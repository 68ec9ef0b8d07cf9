/** Calls a webhook during a request: keepalive HTTPS connections, deadlines, retries after transient errors. */
import type { Environment } from '../base/environment.ts';
import { messageOf } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { sharedTimeLimit } from '../base/time-limit.ts';
import { StatusError } from '../meta/status.ts';
import type { CallLimits } from './client-config.ts';
import { HttpsTransport, type TransportOptions } from './https-transport.ts';
import type { ApiAccess } from './kubeconfig-reader.ts';
import { withRetries, type RetryRule } from './retry.ts';

/** Address and credentials of a webhook; plain data. */
export interface WebhookAccess extends Omit<ApiAccess, 'server'> {
  /** `https://host:port/path` */
  readonly server: string;
}

/** As configured by a kubeconfig file. */
export interface ConfiguredWebhook extends WebhookAccess {
  /** The file and the files that it refers to. */
  readonly files: readonly string[];
}

const retries = { maxAttempts: 5, attemptMs: 10_000, pauses: { firstMs: 250, maxMs: 4_000 } };
/** Timeout of all attempts together. */
const wholeMs = 30_000;
/** Default maximum bytes of a response. */
const longestAnswer = 1024 * 1024;
/** Default maximum of its members. */
const mostMembers = 10_000;

export type WebhookClientOptions = Omit<TransportOptions, 'repeats' | 'isForeign'> &
  Environment & {
    /** Timeout of all attempts of a review together; absent: 30 s. */
    readonly timeoutMs?: number;
  };

export class WebhookClient {
  private readonly transport: HttpsTransport;
  private readonly environment: Environment;
  private readonly timeoutMs: number;
  private url: URL;
  private readonly closing = new AbortController();

  constructor(access: WebhookAccess, options: WebhookClientOptions) {
    this.environment = options;
    this.timeoutMs = options.timeoutMs ?? wholeMs;
    const server = new URL(access.server);
    const always = { repeats: true, isForeign: true };
    this.transport = new HttpsTransport(
      { ...access, server },
      { longestAnswer, mostMembers, ...options, ...always },
    );
    this.url = server;
  }

  /** Uses another address and credentials for new calls; calls in progress are unaffected. */
  use(access: WebhookAccess): void {
    this.url = new URL(access.server);
    this.transport.use({ ...access, server: this.url });
  }

  /** Aborts calls in progress; later calls fail at once. */
  close(): void {
    this.closing.abort();
    this.transport.close();
  }

  /**
   * Calls without retries, with the timeout in the URL.
   * @throws Error with the address, and LongAnswerError as its cause if the response is too long
   */
  async sendReviewOnce(
    body: JsonObject,
    { timeoutSeconds, signal, longestAnswer: longest }: CallLimits,
  ): Promise<JsonObject> {
    const { signal: closing } = this.closing;
    using limit = sharedTimeLimit(this.environment.clock, timeoutSeconds * 1_000, closing, signal);
    const url = new URL(this.url);
    url.searchParams.set('timeout', `${String(timeoutSeconds)}s`);
    const request = { method: 'POST', path: `${url.pathname}${url.search}`, body } as const;
    try {
      return await this.transport.json(request, limit.signal, longest);
    } catch (error) {
      const isLate = limit.signal.aborted && !signal.aborted && !closing.aborted;
      const problem = isLate ? 'context deadline exceeded' : problemOf(error);
      throw new Error(`Post ${JSON.stringify(url.href)}: ${problem}`, { cause: error });
    }
  }

  /**
   * Repeats after transient failures.
   * @throws StatusError if the webhook rejects the call, Error without a response in time
   */
  async sendReview(body: JsonObject, pauses: RetryRule['pauses'] = retries.pauses): Promise<JsonObject> {
    using whole = sharedTimeLimit(this.environment.clock, this.timeoutMs, this.closing.signal);
    const call = (signal: AbortSignal): Promise<JsonObject> => {
      const { pathname, search } = this.url;
      return this.transport.json({ method: 'POST', path: `${pathname}${search}`, body }, signal);
    };
    return await withRetries(this.environment, call, { ...retries, pauses }, whole.signal);
  }
}

function problemOf(error: unknown): string {
  return error instanceof StatusError
    ? `the answer was ${String(error.code)} ${error.message}`
    : messageOf(error);
}
