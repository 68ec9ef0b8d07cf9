/**
 * What entries of a pack are beside their texts, in memory that all threads can read: an object for each of a million takes a
 * quarter of a gigabyte of heap in each thread, and the collector looks at all of them.
 */
import { sharedMemory } from '../base/own-memory.ts';

/** What a row says. */
export interface Row {
  readonly key: string;
  readonly modRevision: number;
  /** As `Entry.mark`. */
  readonly mark: number;
  /** Bytes of the stored text. */
  readonly size: number;
  readonly versionAt: number;
}

/** Columns of 32 bits behind that of the revisions, which has 64; the keys follow. */
const marks = 0;
const sizes = 1;
const versions = 2;
const keyEnds = 3;
const columns = 4;

export class PackRows {
  readonly memory: Buffer;
  /** All rows of the memory. */
  readonly count: number;
  /** The first one that is meant. */
  readonly first: number;
  readonly #revisions: Float64Array;
  /** The columns one after the other. */
  readonly #numbers: Int32Array;

  /** @param memory that `of` has written, alone in its memory */
  constructor(memory: Buffer, count: number, first = 0) {
    this.memory = memory;
    this.count = count;
    this.first = first;
    this.#revisions = new Float64Array(memory.buffer, 0, count);
    this.#numbers = new Int32Array(memory.buffer, 8 * count, columns * count);
  }

  /** undefined if a key is not ASCII: its bytes might have another order. */
  static of(rows: readonly Row[]): PackRows | undefined {
    if (!rows.every(({ key }) => isAscii(key))) return undefined;
    const count = rows.length;
    let end = keysAt(count);
    const memory = sharedMemory(rows.reduce((sum, { key }) => sum + key.length, end));
    const all = new PackRows(memory, count);
    for (const [i, { key, modRevision, mark, size, versionAt }] of rows.entries()) {
      end += memory.write(key, end, 'latin1');
      all.#revisions[i] = modRevision;
      all.#numbers[marks * count + i] = mark;
      all.#numbers[sizes * count + i] = size;
      all.#numbers[versions * count + i] = versionAt;
      all.#numbers[keyEnds * count + i] = end;
    }
    return all;
  }

  /** The same memory, counted from another row on. */
  from(first: number): PackRows {
    return first === 0 ? this : new PackRows(this.memory, this.count, this.first + first);
  }

  modRevision(index: number): number {
    return this.#revisions[this.first + index] ?? 0;
  }

  mark(index: number): number {
    return this.#number(marks, index);
  }

  size(index: number): number {
    return this.#number(sizes, index);
  }

  versionAt(index: number): number {
    return this.#number(versions, index);
  }

  key(index: number): string {
    return this.memory.toString('latin1', this.#keyStart(index), this.#number(keyEnds, index));
  }

  /** Less than 0 if the key of the row is smaller, more than 0 if it is greater. Order by UTF-16 code units. */
  compare(index: number, key: string): number {
    const { memory } = this;
    const start = this.#keyStart(index);
    const length = this.#number(keyEnds, index) - start;
    const common = Math.min(length, key.length);
    for (let i = 0; i < common; i += 1) {
      const difference = (memory[start + i] as number) - key.charCodeAt(i);
      if (difference !== 0) return difference;
    }
    return length - key.length;
  }

  #keyStart(index: number): number {
    return this.first + index === 0 ? keysAt(this.count) : this.#number(keyEnds, index - 1);
  }

  #number(column: number, index: number): number {
    return this.#numbers[column * this.count + this.first + index] ?? 0;
  }
}

function keysAt(count: number): number {
  return (8 + 4 * columns) * count;
}

function isAscii(key: string): boolean {
  for (let i = 0; i < key.length; i += 1) if (key.charCodeAt(i) > 0x7f) return false;
  return true;
}
