/** Waiting that ends early when its owner stops. */
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, or at once when `signal` ends; never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/**
 * Settles as `promise` does, or rejects with what `late` makes after `ms`.
 * The promise itself goes on; its later fault is not reported as unhandled.
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
