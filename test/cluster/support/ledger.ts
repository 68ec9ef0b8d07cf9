/** What the writers of a cluster test were told: the ground truth that lists and watches are held against. */

export interface AckedWrite {
  readonly name: string;
  readonly sequence: number;
  readonly resourceVersion: string;
}

/** Keeps every acknowledged write, and what is known of each object. Each object has one writer. */
export class Ledger {
  readonly acked: AckedWrite[] = [];
  /** Deletions that were acknowledged. */
  readonly deleted = new Set<string>();
  /** Objects whose last operation got no answer: it may have happened, may still happen, or never will. */
  readonly uncertain = new Set<string>();
  /** Broken promises, in words. */
  readonly errors: string[] = [];
  readonly #latest = new Map<string, AckedWrite>();

  acknowledge(write: AckedWrite): void {
    this.acked.push(write);
    const before = this.#latest.get(write.name);
    if (before !== undefined && BigInt(write.resourceVersion) <= BigInt(before.resourceVersion)) {
      this.errors.push(
        `${write.name} was acknowledged at ${before.resourceVersion}, then ${write.resourceVersion}`,
      );
    }
    this.#latest.set(write.name, write);
    this.uncertain.delete(write.name);
  }

  acknowledgeDeletion(name: string): void {
    this.deleted.add(name);
    this.#latest.delete(name);
    this.uncertain.delete(name);
  }

  /** The last acknowledged write of each object that was not deleted. */
  latest(): AckedWrite[] {
    return [...this.#latest.values()];
  }
}
