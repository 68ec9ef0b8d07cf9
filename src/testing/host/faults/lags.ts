/** How late the lagging replica is: as late as the fault that wants most. */
import type { FaultId } from '../../fault-orders.ts';

export class Lags {
  readonly #wanted = new Map<FaultId, number>();
  readonly #listeners = new Set<() => void>();

  /** In milliseconds. */
  get ms(): number {
    return Math.max(0, ...this.#wanted.values());
  }

  /** @param ms 0 if the fault is over */
  set(fault: FaultId, ms: number): void {
    if (ms === 0) this.#wanted.delete(fault);
    else this.#wanted.set(fault, ms);
    for (const listener of [...this.#listeners]) listener();
  }

  /** @returns a function that ends it */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
