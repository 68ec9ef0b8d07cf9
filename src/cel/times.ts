/** How long expressions of this process take to compile and to be evaluated, for those who measure it. */
import { eventLoop } from '../base/event-loop.ts';

export interface ExpressionTimes {
  readonly compiled: (seconds: number) => void;
  readonly evaluated: (seconds: number) => void;
}

const observers = new Set<ExpressionTimes>();

/** Observes all expressions from now on, also those of other replicas in this process, until the returned function is called. */
export function observeExpressions(times: ExpressionTimes): () => void {
  observers.add(times);
  return () => void observers.delete(times);
}

/** Does the work and says how long it took, also if it throws. */
export function timed<T>(what: keyof ExpressionTimes, work: () => T): T {
  if (observers.size === 0) return work();
  const since = eventLoop().now();
  try {
    return work();
  } finally {
    const seconds = (eventLoop().now() - since) / 1_000;
    for (const times of observers) times[what](seconds);
  }
}
