/**
 * Counts that threads of a process have together. Each thread has a row of cells that it alone changes, so that what it held is
 * gone with its row when it ends; a total is the sum of a column. Columns are found by the hash of their name, which a thread
 * that is the first to need it writes at the top.
 *
 *   hashes   │ level global-default │ bodies │ …   │
 *   thread 1 │                    3 │    120 │     │ amounts by key: two cells for each, by hash
 *   thread 2 │                    1 │      0 │     │
 *
 * Amounts by key (addresses, users) are estimates that are never too low: keys of which both cells are those of others, too, count
 * with these. The seed of the hash keeps outsiders from finding such keys.
 */
import { createHash } from 'node:crypto';
import { ownCounts, type Count, type Counts, type KeyedCount } from './counts.ts';

/** Columns; what finds none is counted by each thread. */
const columns = 1_024;
/** Cells of one name with keys. */
const keyedCells = 4_096;
/** Names with keys. */
const keyedNames = 4;
const rowCells = columns + keyedNames * keyedCells;
const hashBytes = 8;
const headBytes = hashBytes * (columns + keyedNames + 1);

/** Sent to a thread: where its counts are. */
export interface CountsPlace {
  readonly memory: SharedArrayBuffer;
  readonly row: number;
}

/** @param seed of hashes, which outsiders do not know */
export function countsMemory(rows: number, seed: bigint): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(headBytes + rows * rowCells * Int32Array.BYTES_PER_ELEMENT);
  hashesOf(memory)[columns + keyedNames] = seed;
  return memory;
}

/** The thread of this row has ended. */
export function clearRow({ memory, row }: CountsPlace): void {
  const cells = cellsOf(memory);
  for (let i = row * rowCells; i < (row + 1) * rowCells; i += 1) Atomics.store(cells, i, 0);
}

export function sharedCounts(place: CountsPlace): Counts {
  const { memory } = place;
  const cells = cellsOf(memory);
  const threads = cells.length / rowCells;
  const column = (name: string, from: number, to: number): number | undefined =>
    columnOf(hashesOf(memory), name, { from, to });
  return {
    threads,
    count: (name, unit = 1) => {
      const at = column(name, 0, columns);
      return at === undefined ? ownCounts.count(name) : new SharedCount({ cells, row: place.row }, at, unit);
    },
    keyed: (name, unit = 1) => {
      const at = column(name, columns, columns + keyedNames);
      if (at === undefined) return ownCounts.keyed(name);
      const first = columns + (at - columns) * keyedCells;
      const cellOf = (cell: number): Count => new SharedCount({ cells, row: place.row }, first + cell, unit);
      return new SharedKeyedCount(cellOf, hashesOf(memory)[columns + keyedNames] ?? 0n);
    },
  };
}

function hashesOf(memory: SharedArrayBuffer): BigInt64Array {
  return new BigInt64Array(memory, 0, columns + keyedNames + 1);
}

function cellsOf(memory: SharedArrayBuffer): Int32Array {
  return new Int32Array(memory, headBytes);
}

/** Linear probing from the position of the hash: the thread that writes its hash into a free column owns that column. */
function columnOf(
  hashes: BigInt64Array,
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const hash = createHash('sha256').update(name).digest().readBigInt64LE() || 1n;
  const places = to - from;
  const begin = Number(BigInt.asUintN(32, hash)) % places;
  for (let step = 0; step < places; step += 1) {
    const at = from + ((begin + step) % places);
    const found = Atomics.compareExchange(hashes, at, 0n, hash);
    if (found === 0n || found === hash) return at;
  }
  return undefined;
}

class SharedCount implements Count {
  readonly #cells: Int32Array;
  readonly #own: number;
  readonly #column: number;
  readonly #unit: number;

  constructor(
    { cells, row }: { readonly cells: Int32Array; readonly row: number },
    column: number,
    unit: number,
  ) {
    this.#cells = cells;
    this.#own = row * rowCells + column;
    this.#column = column;
    this.#unit = unit;
  }

  get own(): number {
    return Atomics.load(this.#cells, this.#own) * this.#unit;
  }

  get total(): number {
    const cells = this.#cells;
    let sum = 0;
    for (let i = this.#column; i < cells.length; i += rowCells) sum += Atomics.load(cells, i);
    return sum * this.#unit;
  }

  get all(): readonly number[] {
    const amounts: number[] = [];
    for (let i = this.#column; i < this.#cells.length; i += rowCells)
      amounts.push(Atomics.load(this.#cells, i) * this.#unit);
    return amounts;
  }

  add(amount: number): void {
    const units = Math.sign(amount) * Math.ceil(Math.abs(amount) / this.#unit);
    Atomics.add(this.#cells, this.#own, units);
  }
}

class SharedKeyedCount implements KeyedCount {
  readonly #cellOf: (cell: number) => Count;
  readonly #seed: Buffer;

  constructor(cellOf: (cell: number) => Count, seed: bigint) {
    this.#cellOf = cellOf;
    this.#seed = Buffer.alloc(hashBytes);
    this.#seed.writeBigInt64LE(seed);
  }

  total(key: string): number {
    const [one, other] = this.#cells(key);
    return Math.min(one.total, other.total);
  }

  add(key: string, amount: number): void {
    for (const cell of this.#cells(key)) cell.add(amount);
  }

  /** In different halves. */
  #cells(key: string): readonly [Count, Count] {
    const hash = createHash('sha256').update(this.#seed).update(key).digest();
    const half = keyedCells / 2;
    return [this.#cellOf(hash.readUInt32LE() % half), this.#cellOf(half + (hash.readUInt32LE(4) % half))];
  }
}
