/** A client that follows a collection for good: watches, and resumes from its last resourceVersion after every end. */
import { setTimeout as delay } from 'node:timers/promises';

import type { ApiClient, EventStream, WatchEvent } from '../../support/client.ts';

export interface ObserverOptions {
  readonly name: string;
  /** The client to watch through now; asked before every start. */
  readonly client: () => ApiClient;
  readonly collection: string;
  readonly from: string;
}

export class Observer {
  readonly name: string;
  readonly events: WatchEvent[] = [];
  /** How often a watch was started. */
  starts = 0;
  /** What must not happen: ERROR events, refusals other than "later". */
  readonly errors: string[] = [];
  readonly #options: ObserverOptions;
  #last: string;
  #isStopped = false;
  #stream: EventStream | undefined;

  constructor(options: ObserverOptions) {
    this.name = options.name;
    this.#options = options;
    this.#last = options.from;
  }

  /** The resourceVersion of the last event. */
  get last(): bigint {
    return BigInt(this.#last);
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#watchOnce().catch((error: unknown) => this.#onError(error));
      await delay(20);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#stream?.close();
  }

  async #watchOnce(): Promise<void> {
    const { client, collection } = this.#options;
    const bookmarks = 'allowWatchBookmarks=true';
    this.#stream = await client().watch(`${collection}?resourceVersion=${this.#last}&${bookmarks}`);
    this.starts += 1;
    for await (const event of this.#stream) this.#onEvent(event);
  }

  #onEvent(event: WatchEvent): void {
    if (event.type === 'ERROR') {
      this.errors.push(`${this.name}: ${JSON.stringify(event.object)}`);
      return;
    }
    this.#last = event.object.metadata.resourceVersion;
    if (event.type !== 'BOOKMARK') this.events.push(event);
  }

  /** A replica that is down or without etcd may refuse; anything it says with a 4xx is final and an error. */
  #onError(error: unknown): void {
    const status = (error as { status?: number }).status ?? 0;
    if (status >= 400 && status < 500 && status !== 429) this.errors.push(`${this.name}: ${String(error)}`);
  }
}
