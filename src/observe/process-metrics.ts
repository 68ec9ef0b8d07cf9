/** Metrics of the process itself: CPU, memory, event loop. */
import { collectDefaultMetrics, Registry, type Metric } from 'prom-client';

let families: readonly Metric[] | undefined;

/**
 * The families of this thread, the same for all that print them: each set of them observes the garbage collector and the
 * event loop until the process ends, so that a set for each replica would keep all of them in memory.
 */
export function processFamilies(): readonly Metric[] {
  families ??= collected();
  return families;
}

function collected(): readonly Metric[] {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry.getMetricsAsArray() as unknown as readonly Metric[];
}
