/**
 * Results that are often available synchronously. Awaiting them costs a promise and a microtask at every level, of
 * which a get has seven.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with the value, synchronously if it is not a promise. Rejects or throws as `use` does. */
export function whenReady<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
