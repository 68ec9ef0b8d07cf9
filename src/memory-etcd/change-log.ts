/**
 * All changes since the last compaction in the order of the commits, in blocks that are shared by copies of the log:
 * only the last block is copied, and only when one of those who share it writes.
 */
import type { Change } from './key-history.ts';

const blockLength = 512;

export class ChangeLog {
  #blocks: (readonly Change[])[];
  /** The block that is written; the last of `#blocks`. Undefined while it is shared. */
  #own: Change[] | undefined;

  constructor(blocks: readonly (readonly Change[])[] = []) {
    this.#blocks = [...blocks];
  }

  /** A copy; takes time for one in 512 changes. */
  copy(): ChangeLog {
    this.#own = undefined;
    return new ChangeLog(this.#blocks);
  }

  add(change: Change): void {
    if (this.#own === undefined || this.#own.length >= blockLength) this.#startBlock();
    this.#own?.push(change);
  }

  /** About how many changes there are from a revision on: whole blocks. */
  sizeFrom(revision: number): number {
    return (this.#blocks.length - this.#blockOf(revision)) * blockLength;
  }

  /** The changes from a revision on, which must not be changed meanwhile. */
  *from(revision: number): Generator<Change, void> {
    for (let block = this.#blockOf(revision); block < this.#blocks.length; block += 1)
      for (const change of this.#blocks[block] ?? []) if (change.kv.mod_revision >= revision) yield change;
  }

  /** Drops changes before a revision, and those at it that `keeps` refuses. */
  trim(revision: number, keeps: (change: Change) => boolean): void {
    const first = this.#blockOf(revision);
    const after = this.#blockOf(revision + 1);
    const left = this.#blocks
      .slice(first, after + 1)
      .flat()
      .filter((change) => {
        const at = change.kv.mod_revision;
        return at > revision || (at === revision && keeps(change));
      });
    this.#blocks = [...(left.length > 0 ? [left] : []), ...this.#blocks.slice(after + 1)];
    this.#own = undefined;
  }

  #startBlock(): void {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.length < blockLength) {
      this.#own = [...last];
      this.#blocks[this.#blocks.length - 1] = this.#own;
      return;
    }
    this.#own = [];
    this.#blocks.push(this.#own);
  }

  /** Index of the first block that ends at or after a revision. */
  #blockOf(revision: number): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle]?.at(-1)?.kv.mod_revision ?? -Infinity) < revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
