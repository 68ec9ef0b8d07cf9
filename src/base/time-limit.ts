/** Signals that are aborted when time is up. */
import { Arrivals } from './arrivals.ts';
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
  return limit({ clock, ms, others, whenDue: (end) => end() });
}

const together = new Arrivals();

/**
 * The same for what hundreds of callers may wait for at once, such as a server that is stuck. Of limits whose time is up
 * together a few end in each turn of the event loop: to close a connection of TLS and to answer takes up to 3 ms.
 */
export function sharedTimeLimit(clock: Clock, ms: number, ...others: readonly AbortSignal[]): TimeLimit {
  const whenDue = (end: () => void): void => {
    const turn = together.begin('');
    if (turn) void turn.then(end);
    else end();
  };
  return limit({ clock, ms, others, whenDue });
}

interface LimitParts {
  readonly clock: Clock;
  readonly ms: number;
  readonly others: readonly AbortSignal[];
  /** Calls `end`, or lets it wait. */
  readonly whenDue: (end: () => void) => void;
}

function limit({ clock, ms, others, whenDue }: LimitParts): TimeLimit {
  const joined = joinedSignals(...others);
  const { signal } = joined;
  const steady = steadyOf(clock);
  let isOver = false;
  const end = (): void => {
    if (!isOver) joined.end(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  };
  const timer = steady.setTimeout(() => whenDue(end), ms);
  timer.unref();
  const forget = (): void => {
    isOver = true;
    steady.clear(timer);
    joined[Symbol.dispose]();
  };
  if (signal.aborted) forget();
  else signal.addEventListener('abort', forget, { once: true });
  return { signal, [Symbol.dispose]: forget };
}
