/** Latencies in buckets of 2 % width: cheap to record, to send between processes and to add up. */

const width = Math.log(1.02);

export class Histogram {
  readonly #counts: number[];
  #total = 0;

  /** `counts` are those of `toJSON`. */
  constructor(counts: readonly number[] = []) {
    this.#counts = [...counts];
    for (const count of this.#counts) this.#total += count;
  }

  record(milliseconds: number): void {
    const bucket = Math.max(0, Math.round(Math.log(milliseconds * 1000) / width));
    while (this.#counts.length <= bucket) this.#counts.push(0);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total += 1;
  }

  /** Milliseconds that this share of all values does not exceed; NaN when there are none. */
  percentile(share: number): number {
    let left = this.#total * share;
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0 && count > 0) return Math.exp(bucket * width) / 1000;
    }
    return NaN;
  }

  add(other: Histogram): void {
    for (const [bucket, count] of other.#counts.entries()) {
      while (this.#counts.length <= bucket) this.#counts.push(0);
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    }
    this.#total += other.#total;
  }

  toJSON(): number[] {
    return this.#counts;
  }
}
