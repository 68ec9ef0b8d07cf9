/** Waits with a deadline or signal. */
import { steadyOf, type Clock, type Timer } from './clock.ts';

/** Resolves after `ms`, or when `signal` is aborted; never rejects. It does not keep the process alive. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    waitUntil(clock, ms, signal, resolve)?.unref();
  });
}

/** As `pause`, but it keeps the process alive. */
export function pauseAwake(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    waitUntil(clock, ms, signal, resolve);
  });
}

function waitUntil(clock: Clock, ms: number, signal: AbortSignal, over: () => void): Timer | undefined {
  if (signal.aborted) {
    over();
    return undefined;
  }
  const end = (): void => {
    clock.clear(timer);
    signal.removeEventListener('abort', end);
    over();
  };
  const timer = clock.setTimeout(end, ms);
  signal.addEventListener('abort', end);
  return timer;
}

/**
 * Settles as `promise`, or rejects with the error of `late` after `ms`, in which leaps of the clock do not count. The
 * promise continues; its later rejection is handled.
 */
export function withDeadline<T>(
  clock: Clock,
  promise: Promise<T>,
  ms: number,
  late: () => Error,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const steady = steadyOf(clock);
    const timer = steady.setTimeout(() => {
      reject(late());
    }, ms);
    promise.then(resolve, reject).finally(() => {
      steady.clear(timer);
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
