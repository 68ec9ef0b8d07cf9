/** Waits with a deadline or signal. */
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, or when `signal` is aborted; never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/**
 * Settles as `promise`, or rejects with the error of `late` after `ms`. The promise continues; its later rejection is
 * handled.
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
 * Settles as `promise`, or rejects with the reason of the signal if that is aborted first. The promise continues; its
 * later rejection is handled.
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

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const done = (): void => {
      resolve(undefined);
    };
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}
