/**
 * A registry for a process that sends its metrics to another process for printing; without the metrics library, which
 * would double the memory of such a process.
 */
import { NumberFamily } from './metric-series.ts';
import { helpText } from './metric-stage.ts';
import type { MetricDefinition } from './metrics.ts';
import type { MetricSnapshot } from './metric-snapshot.ts';
import { currentRelease } from './release.ts';

/** Registers counters and gauges. */
export interface NumberRegistry {
  counter(definition: MetricDefinition): NumberFamily;
  gauge(definition: MetricDefinition): NumberFamily;
}

export class FamilyList implements NumberRegistry {
  private readonly families: NumberFamily[] = [];

  counter(definition: MetricDefinition): NumberFamily {
    return this.add('counter', definition);
  }

  gauge(definition: MetricDefinition): NumberFamily {
    return this.add('gauge', definition);
  }

  /** All families as plain data, to be aggregated with those of other processes. */
  snapshot(): MetricSnapshot {
    return this.families.map((family) => family.scrape());
  }

  private add(type: 'counter' | 'gauge', definition: MetricDefinition): NumberFamily {
    const { name, labels, aggregator } = definition;
    const family = new NumberFamily({
      ...{ type, name, help: helpText(definition, currentRelease) },
      labelNames: labels ?? [],
      aggregator: aggregator ?? 'sum',
    });
    this.families.push(family);
    return family;
  }
}

/** The sum over all series of a counter or gauge. */
export function totalOf(snapshot: MetricSnapshot, name: string): number {
  let total = 0;
  for (const family of snapshot)
    if (family.name === name) for (const { counts } of family.series) total += counts[0] ?? 0;
  return total;
}
