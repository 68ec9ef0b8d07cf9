/** Signals that are aborted when time is up. */
import { steadyOf, type Clock } from './clock.ts';
import { joinedSignals } from './joined-signals.ts';

/** To be disposed (`using`) when what it limits is over, so that its timer goes. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that is aborted after `ms` with a `TimeoutError`, like that of `AbortSignal.timeout`, or with one of the
 * others, by its reason. Its timer does not keep the process alive, and leaps of the clock do not count.
 */
export function timeLimit(clock: Clock, ms: number, ...others: readonly AbortSignal[]): TimeLimit {
  const joined = joinedSignals(...others);
  const { signal } = joined;
  const steady = steadyOf(clock);
  const timer = steady.setTimeout(() => {
    joined.end(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, ms);
  timer.unref();
  const forget = (): void => {
    steady.clear(timer);
    joined[Symbol.dispose]();
  };
  if (signal.aborted) forget();
  else signal.addEventListener('abort', forget, { once: true });
  return { signal, [Symbol.dispose]: forget };
}
