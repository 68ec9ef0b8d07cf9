/**
 * Which of some known keys are not met among others that come in about the same order. It remembers no more keys than are
 * unmet or out of order, so that a million keys take no memory.
 */
import { Slice } from '../../base/cooperate.ts';
import type { ObjectKey } from '../types.ts';

export class UnmetKeys {
  readonly #known: Iterator<ObjectKey, unknown>;
  /** Met before they were passed. */
  readonly #met = new Set<ObjectKey>();
  /** Passed before they were met, if ever. */
  readonly #passed: ObjectKey[] = [];
  #next: IteratorResult<ObjectKey, unknown>;

  /** @param known in order of their code units */
  constructor(known: Iterator<ObjectKey, unknown>) {
    this.#known = known;
    this.#next = known.next();
  }

  /** A known key is met, once. */
  meet(key: ObjectKey): void {
    this.#met.add(key);
  }

  /** No smaller key than this one will be met, but for those that come in another order. */
  passTo(last: ObjectKey): Promise<void> {
    return this.#passWhile((key) => key <= last);
  }

  /** The keys that were not met. */
  async rest(): Promise<ObjectKey[]> {
    await this.#passWhile(() => true);
    return this.#passed.filter((key) => !this.#met.has(key));
  }

  async #passWhile(isPassed: (key: ObjectKey) => boolean): Promise<void> {
    const slice = new Slice();
    for (; this.#next.done !== true && isPassed(this.#next.value); this.#next = this.#known.next()) {
      const key = this.#next.value;
      if (!this.#met.delete(key)) this.#passed.push(key);
      await slice.breathe();
    }
  }
}
