/** Clients that send one small request after the other, and remember how each went. */
import type { ApiClient } from '../../support/client.ts';

export interface Visit {
  /** When it began, as `performance.now()` tells. */
  readonly startedAt: number;
  /** Over a connection of its own. */
  readonly isAnew: boolean;
  /** Milliseconds until the answer, a retry included. */
  readonly tookMs: number;
  /** Why the first attempt failed. */
  readonly error: string | undefined;
  /** Why the second attempt failed. */
  readonly retryError: string | undefined;
}

export interface VisitorOptions {
  readonly client: () => ApiClient;
  readonly path: string;
  /** Makes the body of a creation; none: a GET. */
  readonly body?: () => object;
  /** Each request over a connection of its own; otherwise one connection for all. */
  readonly eachAnew: boolean;
}

/** Visitors at work until stopped. */
export class Visitors implements AsyncDisposable {
  readonly visits: Visit[] = [];
  readonly #work: Promise<unknown>;
  #isOver = false;

  constructor(all: readonly VisitorOptions[]) {
    this.#work = Promise.all(all.map((options) => this.#visit(options)));
  }

  /** Ends them after the requests that they are at. */
  async stop(): Promise<readonly Visit[]> {
    this.#isOver = true;
    await this.#work;
    return this.visits;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #visit(options: VisitorOptions): Promise<void> {
    let client = options.client();
    while (!this.#isOver) {
      const startedAt = performance.now();
      const error = await attempt(client, options);
      const retryError = error === undefined ? undefined : await attempt(client, options);
      const isAnew = options.eachAnew;
      this.visits.push({ startedAt, isAnew, tookMs: performance.now() - startedAt, error, retryError });
      if (!isAnew) continue;
      client.close();
      client = options.client();
    }
    client.close();
  }
}

/** Gives why it failed; undefined when it went well. */
async function attempt(client: ApiClient, { path, body }: VisitorOptions): Promise<string | undefined> {
  try {
    const answer = await client.request(body ? 'POST' : 'GET', path, body?.());
    return answer.status < 300 ? undefined : `${String(answer.status)}: ${answer.text}`;
  } catch (error) {
    return String(error);
  }
}

export function longestMs(visits: readonly Visit[]): number {
  return Math.max(0, ...visits.map(({ tookMs }) => tookMs));
}
