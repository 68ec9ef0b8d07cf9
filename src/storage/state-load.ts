/**
 * Loads the whole state in pages at one revision. As it may take long, loaded pages are kept if it is interrupted or
 * if its revision is compacted meanwhile.
 *
 *   pages at revision R ──all──▶ the state at R
 *      │       ▲
 *      │       └──── an error: `run` goes on behind the last page
 *      └─ R is compacted ─▶ a newer revision: keys of the loaded part, values only of changed keys ─▶ pages of the rest
 */
import type { PassiveClock } from '../base/clock.ts';
import { Slice } from '../base/cooperate.ts';
import type { EtcdClient } from './etcd/client.ts';
import { toEtcdError } from './etcd/etcd-error.ts';
import type { KeyValue } from './etcd/message-types.ts';
import { PagedRange, type PagedRangeOptions } from './etcd/paged-range.ts';
import { keyAfter, type KeyRange, type KeySpace } from './keys.ts';
import type { StorageLogger } from './options.ts';
import type { Revision } from './types.ts';
import { keyCuts } from './view/key-cuts.ts';
import type { ViewDraft } from './view/view-draft.ts';
import type { View } from './view/view.ts';

/** Interval of progress log lines. */
const logMs = 3_000;

/** Progress of a load. */
export interface LoadProgress {
  readonly revision: Revision;
  readonly objects: number;
  /** Bytes of stored texts. */
  readonly bytes: number;
  /** Number of responses; grows while the load makes progress. */
  readonly pages: number;
}

export interface StateLoadDependencies {
  readonly clock: PassiveClock;
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly logger: StorageLogger;
}

/** The part loaded at a revision that is compacted. */
interface Known {
  readonly draft: ViewDraft;
  /** All keys before this one are loaded. */
  readonly until: Buffer;
  /** It is the watch cache, which only the follower changes. */
  readonly isServed: boolean;
}

/** A complete state. */
export interface LoadedState {
  readonly draft: ViewDraft;
  /** The past of etcd that it belongs to. */
  readonly epoch: number;
}

export class StateLoad {
  readonly #deps: StateLoadDependencies;
  readonly #slice = new Slice();
  readonly #startedAt: number;
  #loggedAt: number;
  #pages = 0;
  #draft: ViewDraft | undefined;
  #known: Known | undefined;
  #rest: PagedRange | undefined;
  /** The past of etcd that is loaded. */
  #epoch: number;

  /** @param loaded a complete state whose revision was compacted before it could be followed */
  constructor(deps: StateLoadDependencies, loaded?: LoadedState) {
    this.#deps = deps;
    this.#startedAt = deps.clock.monotonic();
    this.#loggedAt = this.#startedAt;
    this.#epoch = loaded?.epoch ?? deps.client.epoch;
    if (loaded === undefined) return;
    this.#known = { draft: loaded.draft, until: deps.keys.everything().range_end, isServed: true };
  }

  get progress(): LoadProgress {
    const { objects = 0, bytes = 0 } = this.#draft?.size ?? {};
    return { revision: this.#draft?.revision ?? 0, objects, bytes, pages: this.#pages };
  }

  get ms(): number {
    return Math.round(this.#deps.clock.monotonic() - this.#startedAt);
  }

  /** Gives the whole state; after an error it may be called again, and goes on. @throws EtcdError */
  async run(signal: AbortSignal): Promise<LoadedState> {
    for (;;) {
      try {
        const draft = await this.#finish(signal);
        return { draft, epoch: this.#epoch };
      } catch (error) {
        const { kind } = toEtcdError(error, 'range');
        if (kind === 'compacted') this.#keep();
        else if (kind === 'otherPast' && this.#epoch !== this.#deps.client.epoch) this.#forget();
        else throw error;
      }
    }
  }

  async #finish(signal: AbortSignal): Promise<ViewDraft> {
    if (this.#known !== undefined && this.#rest === undefined) await this.#renew(this.#known, signal);
    const { keys, view } = this.#deps;
    this.#rest ??= this.#range({ range: keys.everything(), revision: 0 });
    for await (const page of this.#rest.pages(signal)) {
      this.#draft ??= view.draft(this.#rest.revision);
      await this.#addAll(page, this.#draft);
    }
    return (this.#draft ??= view.draft(this.#rest.revision));
  }

  #range(options: PagedRangeOptions): PagedRange {
    return new PagedRange(this.#deps, { ...options, epoch: this.#epoch });
  }

  /** Updates the loaded part to a newer revision, at which the rest is then loaded. */
  async #renew(known: Known, signal: AbortSignal): Promise<void> {
    const { keys, view } = this.#deps;
    const range = { key: keys.everything().key, range_end: known.until };
    const pinned = Array.from(known.draft.collections, ([id, view]) => [id, view.pinned()] as const);
    const cuts = keyCuts(pinned, keys);
    const pages = this.#range({ range, revision: 0, keysOnly: true, cuts });
    this.#draft = undefined;
    for await (const page of pages.pages(signal)) {
      this.#draft ??= view.draft(pages.revision);
      await this.#renewPage(page, { draft: this.#draft, known, signal });
    }
    if (this.#draft !== undefined) {
      this.#draft.compactedAt = Math.max(this.#draft.compactedAt, known.draft.compactedAt);
      this.#draft.past ??= known.draft.past;
    }
    const rest = { key: known.until, range_end: keys.everything().range_end };
    this.#rest = this.#range({ range: rest, revision: pages.revision });
  }

  /** Takes known entries of a page of keys and requests the values of the others. */
  async #renewPage(
    page: readonly KeyValue[],
    { draft, known, signal }: { draft: ViewDraft; known: Known; signal: AbortSignal },
  ): Promise<void> {
    const changed: KeyValue[] = [];
    for (const kv of page) {
      const entry = known.draft.find(kv);
      if (entry === undefined) changed.push(kv);
      else draft.adopt(entry);
      await this.#slice.breathe();
    }
    this.#advance();
    const range = spanOf(changed);
    if (range === undefined) return;
    const { revision } = draft;
    const values = this.#range({ range, revision, changedAfter: known.draft.revision });
    for await (const part of values.pages(signal)) {
      await this.#addAll(part, draft);
      // If the newer revision is compacted as well, these need not be loaded again.
      if (!known.isServed) await this.#addAll(part, known.draft);
    }
  }

  async #addAll(page: readonly KeyValue[], draft: ViewDraft): Promise<void> {
    await draft.addAll(page, this.#slice);
    this.#advance();
  }

  /** After compaction of the revision, the loaded part is known, but may be outdated. */
  #keep(): void {
    if (this.#rest !== undefined && this.#draft !== undefined)
      this.#known = { draft: this.#draft, until: this.#rest.reached, isServed: false };
    const { objects } = this.progress;
    this.#deps.logger.warn(
      { objects, ms: this.ms },
      'the revision of the load was compacted; continuing at a newer one',
    );
    this.#rest = undefined;
  }

  #forget(): void {
    this.#epoch = this.#deps.client.epoch;
    this.#known = undefined;
    this.#draft = undefined;
    this.#rest = undefined;
  }

  #advance(): void {
    this.#pages += 1;
    if (this.#deps.clock.monotonic() - this.#loggedAt < logMs) return;
    this.#loggedAt = this.#deps.clock.monotonic();
    this.#deps.logger.warn({ ...this.progress, ms: this.ms }, 'loading state from etcd');
  }
}

/** The smallest range with all of these sorted keys; undefined if there are none. */
function spanOf(kvs: readonly KeyValue[]): KeyRange | undefined {
  const [first, last] = [kvs[0]?.key, kvs.at(-1)?.key];
  return first && last && { key: first, range_end: keyAfter(last) };
}
