/**
 * External waits: for a call to another process, or for work that may be in such a wait. Work that holds a limited
 * place (in a write thread) releases it meanwhile.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Work that holds a place. */
export interface Placed {
  /** Releases the place during the wait; settles as the wait once the work has a place again. */
  aside<T>(wait: () => Promise<T>): Promise<T>;
}

const current = new AsyncLocalStorage<Placed>();

/** Runs `work` as part of `placed`. */
export function runPlaced<T>(placed: Placed, work: () => T): T {
  return current.run(placed, work);
}

/** Settles as the wait; releases the place of the work meanwhile. */
export function aside<T>(wait: () => Promise<T>): Promise<T> {
  const placed = current.getStore();
  return placed ? placed.aside(wait) : wait();
}
