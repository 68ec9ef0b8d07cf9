/**
 * Entries of a resource as one of its versions shows them: made once per revision of an object and kept with it, so that
 * the next list and every watch copy bytes, within a budget for all resources together (`KeptItems`).
 */
import { unlessAborted } from '../../base/pause.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { ItemForm, KeptItems } from '../../http/representation/kept-items.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';

/** Converts a batch, in its order; where nothing is to be changed the entry itself. */
export type ConvertEntries = (entries: readonly Entry[]) => Promise<readonly Entry[]>;

/** A batch ends with as many entries or bytes: few enough that making and reading a question takes a few milliseconds. */
const batchEntries = 500;
const batchBytes = 256 * 1024;
/** Batches of a resource's version under way at once. */
const atOnce = 4;

export class ShownEntries {
  private readonly kept: KeptItems;
  private readonly convert: ConvertEntries;
  private readonly form: ItemForm<Entry>;
  /** Conversions under way: who asks meanwhile shares them. */
  private readonly underWay = new WeakMap<Entry, Promise<Entry>>();
  private readonly places = new Semaphore(atOnce);

  constructor(kept: KeptItems, convert: ConvertEntries) {
    this.kept = kept;
    this.convert = convert;
    this.form = kept.form(({ bytes }) => bytes.length);
  }

  known(entry: Entry): Entry | undefined {
    return entry.memo?.get(this.form) as Entry | undefined;
  }

  /** Entries in their order. The conversion itself goes on for others who wait. @throws what `convert` throws; the signal's reason */
  async shown(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]> {
    const known = entries.map((entry) => this.known(entry));
    const missing = entries.filter((entry, i) => known[i] === undefined && !this.underWay.has(entry));
    for (const batch of batches(missing)) this.start(batch);
    if (known.every((entry) => entry !== undefined)) return known;
    const all = Promise.all(
      entries.map(async (entry, i) => known[i] ?? (await this.underWay.get(entry)) ?? entry),
    );
    return unlessAborted(all, signal);
  }

  private start(batch: readonly Entry[]): void {
    const made = this.places.use(() => this.convert(batch));
    for (const [i, entry] of batch.entries()) {
      const one = made
        .then((shown) => this.kept.take(entry, this.form, () => shown[i] ?? entry))
        .finally(() => this.underWay.delete(entry));
      // Whoever waits finds the fault; nobody may.
      one.catch(() => undefined);
      this.underWay.set(entry, one);
    }
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
