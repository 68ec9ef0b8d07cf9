/**
 * Entries of a resource as one of its versions shows them: made once per revision of an object and kept with it, so that
 * the next list and every watch copy bytes, within a budget for all resources together (`EntryCache`).
 *
 * Who asks for what is being converted waits for it instead of asking again, and is no worse off for it: where that
 * conversion fails, its own begins; where all who waited have gone, it ends, so that nobody waits for a call that hangs.
 */
import { aside } from '../../base/aside.ts';
import { unlessAborted } from '../../base/pause.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { EntryForm, EntryCache } from '../../registry/entry-cache.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';

/** Converts a batch, in its order; where nothing is to be changed the entry itself. The signal: nobody waits any more. */
export type ConvertEntries = (entries: readonly Entry[], signal: AbortSignal) => Promise<readonly Entry[]>;

/** A batch ends with as many entries or bytes: few enough that making and reading a question takes a few milliseconds. */
const batchEntries = 500;
const batchBytes = 256 * 1024;
/** Batches of a resource's version under way at once. */
const atOnce = 4;

/** A conversion under way. */
interface Batch {
  readonly entries: readonly Entry[];
  readonly made: Promise<ReadonlyMap<Entry, Entry>>;
  readonly ending: AbortController;
  /** How many requests wait for it. */
  waiting: number;
}

export class ShownEntries {
  private readonly kept: EntryCache;
  private readonly convert: ConvertEntries;
  private readonly form: EntryForm<Entry>;
  private readonly underWay = new WeakMap<Entry, Batch>();
  private readonly places = new Semaphore(atOnce);

  constructor(kept: EntryCache, convert: ConvertEntries) {
    this.kept = kept;
    this.convert = convert;
    this.form = kept.form(({ bytes }) => bytes.length);
  }

  known(entry: Entry): Entry | undefined {
    return entry.memo?.get(this.form) as Entry | undefined;
  }

  /** Entries in their order. @throws what `convert` throws; the signal's reason */
  async shown(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]> {
    const joins = entries.some((entry) => this.underWay.has(entry));
    try {
      return await this.made(entries, signal);
    } catch (error) {
      if (!joins || signal.aborted) throw error;
      return await this.made(entries, signal);
    }
  }

  private async made(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]> {
    const known = entries.map((entry) => this.known(entry));
    const missing = entries.filter((_, i) => known[i] === undefined);
    for (const batch of batches(missing.filter((entry) => !this.underWay.has(entry)))) this.start(batch);
    if (missing.length === 0) return entries.map((entry, i) => known[i] ?? entry);
    const needed = new Set(missing.flatMap((entry) => this.underWay.get(entry) ?? []));
    const made = await this.waitFor([...needed], signal);
    const shown = new Map(made.flatMap((map) => [...map]));
    return entries.map((entry, i) => known[i] ?? shown.get(entry) ?? entry);
  }

  private async waitFor(
    needed: readonly Batch[],
    signal: AbortSignal,
  ): Promise<readonly ReadonlyMap<Entry, Entry>[]> {
    for (const batch of needed) batch.waiting += 1;
    try {
      const all = Promise.all(needed.map(({ made }) => made));
      // Others may have asked a webhook for it.
      return await aside(() => unlessAborted(all, signal));
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

  private start(entries: readonly Entry[]): void {
    const ending = new AbortController();
    const made = this.places
      .use(() => this.convert(entries, ending.signal))
      .then((shown) => this.keep(entries, shown));
    const batch: Batch = {
      entries,
      ending,
      waiting: 0,
      made: made.finally(() => {
        this.forget(batch);
      }),
    };
    // Whoever waits finds the error; nobody may.
    batch.made.catch(() => undefined);
    for (const entry of entries) this.underWay.set(entry, batch);
  }

  private keep(entries: readonly Entry[], shown: readonly Entry[]): ReadonlyMap<Entry, Entry> {
    return new Map(
      entries.map((entry, i) => [entry, this.kept.take(entry, this.form, () => shown[i] ?? entry)]),
    );
  }

  /** Who asks from now on begins anew. */
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
