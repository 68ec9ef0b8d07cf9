/** Signals that are aborted when time is up. */
import { steadyOf, type Clock } from './clock.ts';

/** To be disposed (`using`) when what it limits is over, so that its timer goes. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that is aborted after `ms` with a `TimeoutError`, like that of `AbortSignal.timeout`, or with one of the
 * others, by its reason. Its timer does not keep the process alive, and leaps of the clock do not count.
 */
export function timeLimit(clock: Clock, ms: number, ...others: readonly AbortSignal[]): TimeLimit {
  const late = new AbortController();
  const steady = steadyOf(clock);
  const timer = steady.setTimeout(() => {
    end(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, ms);
  timer.unref();
  const onAbort = ({ target }: Event): void => end((target as AbortSignal).reason);
  // AbortSignal.any() makes a signal that lives long look at all that depend on it for each that was collected.
  const forget = (): void => {
    steady.clear(timer);
    for (const other of others) other.removeEventListener('abort', onAbort);
  };
  const end = (reason: unknown): void => {
    forget();
    late.abort(reason);
  };
  for (const other of others) other.addEventListener('abort', onAbort);
  const aborted = others.find((other) => other.aborted);
  if (aborted) end(aborted.reason);
  return { signal: late.signal, [Symbol.dispose]: forget };
}
