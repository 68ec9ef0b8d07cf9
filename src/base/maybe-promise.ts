/**
 * Answers that are often there at once. Awaiting one that is costs a promise and a turn of the microtask queue at every
 * level that it passes, and a get passed seven.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with the value: now if it is there, otherwise when it comes. Rejects, or throws at once, as `use` does. */
export function whenReady<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
