/**
 * Reads a range in pages at one revision, the next page being fetched while one is worked on. What was read stays read:
 * after an error, `pages` goes on behind the last page that it gave.
 */
import { EtcdError, toEtcdError } from './etcd-error.ts';
import type { CallPurpose, EtcdClient } from './client.ts';
import type { KeyRange } from '../keys.ts';
import type { Revision } from '../types.ts';
import { KeyWindow } from './key-window.ts';
import type { KeyValue, RangeRequest, RangeResponse } from './message-types.ts';
import { numberOf } from './etcd-messages.ts';
import { PageSize } from './page-size.ts';

export interface PagedRangeOptions {
  readonly range: KeyRange;
  /** 0 for the newest; all pages are then read at the revision of the first. */
  readonly revision: Revision;
  /** Keys and revisions without values. */
  readonly keysOnly?: boolean;
  /** Omits keys that were not changed after this revision. */
  readonly changedAfter?: Revision;
  /** Expected cluster id; absent if any is accepted. */
  readonly cluster?: number | undefined;
  readonly purpose?: CallPurpose;
}

/** The result of a page request. */
interface Page {
  readonly response: RangeResponse;
  readonly ms: number;
}

export class PagedRange {
  readonly #client: EtcdClient;
  readonly #options: PagedRangeOptions;
  readonly #window: KeyWindow;
  readonly #size = new PageSize();
  #revision: Revision;
  #cluster: number | undefined;

  constructor(client: EtcdClient, options: PagedRangeOptions) {
    this.#client = client;
    this.#options = options;
    this.#window = new KeyWindow(options.range);
    this.#revision = options.revision;
    this.#cluster = options.cluster;
  }

  /** The revision of the range; 0 before the first page. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The cluster id; undefined before the first page, unless it was given. */
  get cluster(): number | undefined {
    return this.#cluster;
  }

  /** Start of the next page; everything before has been returned. */
  get reached(): Buffer {
    return this.#window.range.key;
  }

  /**
   * The pages that are left, one at a time; the one after is under way while the caller works on one.
   * @throws EtcdError, `compacted` when the revision is gone, `otherCluster` when another etcd answers than before
   */
  async *pages(signal: AbortSignal): AsyncGenerator<readonly KeyValue[]> {
    let next: Promise<Page> | undefined = this.#fetch();
    while (next !== undefined) {
      const { response, ms } = await next;
      this.#check(response);
      this.#take(response, ms);
      next = this.#window.isDone ? undefined : this.#fetch();
      // Awaited later; until then an error must not count as unhandled.
      next?.catch(() => undefined);
      yield response.kvs;
      if (signal.aborted) throw new EtcdError('notSent', 'stopped while reading');
    }
  }

  /** Requests a page; retries with a smaller one if it is too large or too slow. */
  async #fetch(): Promise<Page> {
    const { purpose } = this.#options;
    for (;;) {
      const start = performance.now();
      try {
        const { maxBytes } = this.#size;
        const response = await this.#client.page(this.#request(), maxBytes, purpose);
        return { response, ms: performance.now() - start };
      } catch (error) {
        if (!this.#shrinkPage(toEtcdError(error, 'range'))) throw error;
      }
    }
  }

  #request(): RangeRequest {
    const { keysOnly, changedAfter } = this.#options;
    return {
      ...this.#window.range,
      limit: this.#size.limit,
      revision: this.#revision,
      ...(keysOnly === true && { keys_only: true }),
      ...(changedAfter !== undefined && { min_mod_revision: changedAfter + 1 }),
    };
  }

  #shrinkPage(etcdError: EtcdError): boolean {
    if (etcdError.kind === 'tooLarge') return this.#size.shrink();
    if (!etcdError.isLate) return false;
    this.#window.narrow();
    return this.#size.shrink();
  }

  #check({ header }: RangeResponse): void {
    const cluster = numberOf(header.cluster_id);
    const revision = numberOf(header.revision);
    const isSame = cluster === (this.#cluster ??= cluster) && revision >= this.#revision;
    if (!isSame) throw new EtcdError('otherCluster', 'etcd was restored while its state was read');
    if (this.#revision === 0) this.#revision = revision;
  }

  #take({ kvs, count, more }: RangeResponse, ms: number): void {
    this.#size.take(kvs, ms);
    const [first, last] = [kvs[0]?.key, kvs.at(-1)?.key];
    const left = more ? numberOf(count) : kvs.length;
    this.#window.take({
      first,
      last,
      length: kvs.length,
      count: Math.max(left, kvs.length + (more ? 1 : 0)),
    });
  }
}
