/**
 * Entries of a resource converted to one of its versions: cached per revision of an object, so that lists and watches
 * copy bytes, within a budget for all resources (`EntryCache`). Concurrent requests share a conversion. If it fails,
 * each whose objects were with others retries with its own; if all waiting requests are gone, it is aborted, so that a
 * hanging call does not accumulate.
 */
import { withoutSlot } from '../../base/slot-holder.ts';
import { unlessAborted } from '../../base/pause.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { EntryForm, EntryCache } from '../../registry/entry-cache.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';

/**
 * Converts a batch in order, or the first of it if they become large; returns the entry itself if nothing changes. The
 * signal is aborted when no request waits any more.
 */
export type ConvertEntries = (entries: readonly Entry[], signal: AbortSignal) => Promise<readonly Entry[]>;

/** Maximum entries and bytes of a batch, so that encoding and decoding takes a few milliseconds. */
const batchEntries = 500;
const batchBytes = 256 * 1024;
/** Concurrent batches of a request: one for an object does not wait for those of a list. */
const ofRequest = 4;
/** Concurrent batches per version of a resource, each of which is in memory several times. */
const ofVersion = 32;

/** A conversion in progress. */
interface Batch {
  readonly entries: readonly Entry[];
  readonly made: Promise<ReadonlyMap<Entry, Entry>>;
  readonly ending: AbortController;
  /** Number of waiting requests. */
  waiting: number;
}

export class ShownEntries {
  private readonly kept: EntryCache;
  private readonly convert: ConvertEntries;
  private readonly form: EntryForm<Entry>;
  private readonly underWay = new WeakMap<Entry, Batch>();
  private readonly places = new Semaphore(ofVersion);

  constructor(kept: EntryCache, convert: ConvertEntries) {
    this.kept = kept;
    this.convert = convert;
    this.form = kept.form(({ bytes }) => bytes.length);
  }

  known(entry: Entry): Entry | undefined {
    return entry.memo?.get(this.form) as Entry | undefined;
  }

  /**
   * The converted entries in order.
   * @throws the error of `convert`, or the reason of the signal
   */
  async shown(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]> {
    const made = new Map<Entry, Entry>();
    for (let left = entries; left.length > 0; left = left.filter((entry) => !made.has(entry)))
      for (const [entry, shown] of await this.some(left, signal)) made.set(entry, shown);
    return entries.map((entry) => made.get(entry) ?? entry);
  }

  /**
   * The first of the converted entries, at least one: fewer than all where they become large.
   * @throws as `shown`
   */
  async firstShown(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]> {
    // What is made of later batches is lost if the first one becomes large.
    const few = [...batches(entries)].slice(0, ofRequest).flat();
    for (;;) {
      const made = await this.some(few, signal);
      const end = few.findIndex((entry) => !made.has(entry));
      const first = end < 0 ? few : few.slice(0, end);
      // A conversion of another request that this one waited for may have ended before the first of these.
      if (end !== 0) return first.map((entry) => made.get(entry) ?? entry);
    }
  }

  /** Some of the converted entries, at least one of each batch. */
  private async some(entries: readonly Entry[], signal: AbortSignal): Promise<ReadonlyMap<Entry, Entry>> {
    const mayRetry = this.joinsOthers(entries);
    try {
      return await this.made(entries, { signal, joins: true });
    } catch (error) {
      if (!mayRetry || signal.aborted) throw error;
      // Nor does it join another that retries: an object that cannot be converted may be in that one again.
      return await this.made(entries, { signal, joins: false });
    }
  }

  /**
   * Whether conversions in progress that these entries join have further ones, by which they may fail. If not, a retry would
   * ask for the same again: with a webhook that is down, each of a hundred lists all of its objects, four batches at a time.
   */
  private joinsOthers(entries: readonly Entry[]): boolean {
    const joined = new Set(entries.flatMap((entry) => this.underWay.get(entry) ?? []));
    if (joined.size === 0) return false;
    const own = new Set(entries);
    return [...joined].some((batch) => batch.entries.some((entry) => !own.has(entry)));
  }

  private async made(
    entries: readonly Entry[],
    { signal, joins }: { readonly signal: AbortSignal; readonly joins: boolean },
  ): Promise<ReadonlyMap<Entry, Entry>> {
    const made = new Map<Entry, Entry>();
    const missing: Entry[] = [];
    for (const entry of entries) {
      const known = this.known(entry);
      if (known) made.set(entry, known);
      else missing.push(entry);
    }
    if (missing.length === 0) return made;
    const own = new Semaphore(ofRequest);
    for (const batch of batches(missing.filter((entry) => !joins || !this.underWay.has(entry))))
      this.start(batch, own);
    const needed = new Set(missing.flatMap((entry) => this.underWay.get(entry) ?? []));
    for (const batch of await this.waitFor([...needed], signal))
      for (const [entry, shown] of batch) made.set(entry, shown);
    return made;
  }

  private async waitFor(
    needed: readonly Batch[],
    signal: AbortSignal,
  ): Promise<readonly ReadonlyMap<Entry, Entry>[]> {
    for (const batch of needed) batch.waiting += 1;
    try {
      const all = Promise.all(needed.map(({ made }) => made));
      // Another request may have started the webhook call.
      return await withoutSlot(() => unlessAborted(all, signal));
    } finally {
      for (const batch of needed) this.leave(batch);
    }
  }

  private leave(batch: Batch): void {
    batch.waiting -= 1;
    if (batch.waiting > 0) return;
    this.forget(batch);
    batch.ending.abort();
  }

  private start(entries: readonly Entry[], own: Semaphore): void {
    const ending = new AbortController();
    const made = own
      .use(() => this.places.use(() => this.convert(entries, ending.signal)))
      .then((shown) => this.keep(entries, shown));
    const batch: Batch = {
      entries,
      ending,
      waiting: 0,
      made: made.finally(() => {
        this.forget(batch);
      }),
    };
    // Waiting requests get the error; there may be none.
    batch.made.catch(() => undefined);
    for (const entry of entries) this.underWay.set(entry, batch);
  }

  private keep(entries: readonly Entry[], shown: readonly Entry[]): ReadonlyMap<Entry, Entry> {
    const made = entries.slice(0, Math.max(1, shown.length));
    return new Map(
      made.map((entry, i) => [entry, this.kept.take(entry, this.form, () => shown[i] ?? entry)]),
    );
  }

  /** Later requests start a new conversion. */
  private forget(batch: Batch): void {
    for (const entry of batch.entries) if (this.underWay.get(entry) === batch) this.underWay.delete(entry);
  }
}

function* batches(entries: readonly Entry[]): Generator<readonly Entry[]> {
  let batch: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    batch.push(entry);
    bytes += sizeOf(entry);
    if (batch.length < batchEntries && bytes < batchBytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
