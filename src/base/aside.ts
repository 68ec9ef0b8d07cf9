/**
 * Waits that work has no part in: for a call that leaves the process, or for other work that may be in such a wait.
 * Work that has a place among few (a write thread's) gives it to others meanwhile.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Work that has a place. */
export interface Placed {
  /** Gives the place up while this waits, and settles as it does once the work has a place again. */
  aside<T>(wait: () => Promise<T>): Promise<T>;
}

const current = new AsyncLocalStorage<Placed>();

/** What `work` begins belongs to `placed`. */
export function runPlaced<T>(placed: Placed, work: () => T): T {
  return current.run(placed, work);
}

/** Settles as the wait does; work that has a place is without it meanwhile. */
export function aside<T>(wait: () => Promise<T>): Promise<T> {
  const placed = current.getStore();
  return placed ? placed.aside(wait) : wait();
}
