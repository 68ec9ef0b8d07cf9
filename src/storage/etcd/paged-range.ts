/**
 * Reads a range in pages at one revision, the next page being fetched while one is worked on. What was read stays read:
 * after an error, `pages` goes on behind the last page that it gave.
 */
import { EtcdError, toEtcdError } from './etcd-error.ts';
import type { PassiveClock } from '../../base/clock.ts';
import type { CallPurpose, EtcdClient } from './client.ts';
import type { KeyRange } from '../keys.ts';
import type { Revision } from '../types.ts';
import { KeyWindow } from './key-window.ts';
import type { KeyValue, RangeRequest, RangeResponse } from './message-types.ts';
import { numberOf } from './etcd-messages.ts';
import { PageSize } from './page-size.ts';
import { spansOf } from './spans.ts';

export interface PagedRangeOptions {
  readonly range: KeyRange;
  /** 0 for the newest; all pages are then read at the revision of the first. */
  readonly revision: Revision;
  /** Keys and revisions without values. */
  readonly keysOnly?: boolean;
  /** Omits keys that were not changed after this revision. */
  readonly changedAfter?: Revision;
  /** The past of etcd that it is about (`EtcdClient.epoch`); absent: the current one. */
  readonly epoch?: number | undefined;
  readonly purpose?: CallPurpose;
  /** Keys in ascending order; no request has a range across one of them, as etcd counts all keys of a range. */
  readonly cuts?: Iterable<Buffer>;
  /** A page is only requested when the caller has worked on the one before, perhaps after a pause. */
  readonly isUnhurried?: boolean;
}

export interface PagedRangeDependencies {
  readonly client: Pick<EtcdClient, 'page' | 'epoch'>;
  readonly clock: PassiveClock;
}

/** The result of a page request. */
interface Page {
  readonly response: RangeResponse;
  readonly ms: number;
}

export class PagedRange {
  readonly #client: PagedRangeDependencies['client'];
  readonly #clock: PassiveClock;
  readonly #options: PagedRangeOptions;
  readonly #spans: Iterator<KeyRange, KeyRange>;
  #window: KeyWindow;
  #isLastSpan = false;
  readonly #size = new PageSize();
  #revision: Revision;
  readonly #epoch: number;

  constructor({ client, clock }: PagedRangeDependencies, options: PagedRangeOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#options = options;
    this.#spans = spansOf(options.range, options.cuts ?? []);
    this.#window = this.#nextSpan();
    this.#revision = options.revision;
    this.#epoch = options.epoch ?? client.epoch;
  }

  /** The revision of the range; 0 before the first page. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Start of the next page; everything before has been returned. */
  get reached(): Buffer {
    return this.#window.range.key;
  }

  /**
   * The pages that are left, one at a time; the one after is under way while the caller works on one, unless it is unhurried.
   * @throws EtcdError, `compacted` when the revision is gone, `otherPast` when etcd has another past than before
   */
  async *pages(signal: AbortSignal): AsyncGenerator<readonly KeyValue[]> {
    const { isUnhurried = false } = this.#options;
    let next: Promise<Page> | undefined;
    do {
      const { response, ms } = await (next ?? this.#fetch());
      this.#check(response);
      this.#take(response, ms);
      next = isUnhurried || this.#isDone ? undefined : this.#fetch();
      // Awaited later; until then an error must not count as unhandled.
      next?.catch(() => undefined);
      yield response.kvs;
      if (signal.aborted) throw new EtcdError('notSent', 'stopped while reading');
    } while (!this.#isDone);
  }

  get #isDone(): boolean {
    return this.#isLastSpan && this.#window.isDone;
  }

  #nextSpan(): KeyWindow {
    const { value, done } = this.#spans.next();
    this.#isLastSpan = done === true;
    return new KeyWindow(value);
  }

  /** Requests a page; retries with a smaller one if it is too large or too slow. */
  async #fetch(): Promise<Page> {
    const { purpose } = this.#options;
    for (;;) {
      const start = this.#clock.monotonic();
      try {
        const { maxBytes } = this.#size;
        const response = await this.#client.page(this.#request(), maxBytes, purpose);
        return { response, ms: this.#clock.monotonic() - start };
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
    if (this.#client.epoch !== this.#epoch)
      throw new EtcdError('otherPast', 'etcd was restored while its state was read');
    if (this.#revision === 0) this.#revision = numberOf(header.revision);
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
    if (this.#window.isDone && !this.#isLastSpan) this.#window = this.#nextSpan();
  }
}
