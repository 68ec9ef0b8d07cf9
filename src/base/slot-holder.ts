/**
 * External waits: for a call to another process, or for work that may be in such a wait. Work that holds a limited
 * place (in a write thread) releases it meanwhile.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Work that holds a place. */
export interface SlotHolder {
  /** Releases the place during the wait; settles as the wait once the work has a place again. */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T>;
}

const current = new AsyncLocalStorage<SlotHolder | undefined>();

/** Runs `work` as part of `placed`. */
export function runWithSlot<T>(holder: SlotHolder, work: () => T): T {
  return current.run(holder, work);
}

/** Runs `work` that is done for others as well: it neither holds nor releases a place of the caller. */
export function outsideSlot<T>(work: () => T): T {
  return current.run(undefined, work);
}

/** Settles as the wait; releases the place of the work meanwhile. */
export function withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
  const holder = current.getStore();
  return holder ? holder.withoutSlot(wait) : wait();
}
