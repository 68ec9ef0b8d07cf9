/** Waiting that ends early when its owner stops. */
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, or at once when `signal` ends; never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/**
 * Settles as `promise` does, or rejects with what `late` makes after `ms`.
 * The promise itself goes on; its later error is not reported as unhandled.
 */
export function withDeadline<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(late());
    }, ms);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}

/**
 * Settles as `promise` does, or rejects with the signal's reason when that comes first.
 * The promise itself goes on; its later error is not reported as unhandled.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const give = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason }));
    };
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', give);
    });
  });
}

/** Resolves when the signal is given. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const done = (): void => {
      resolve(undefined);
    };
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}
