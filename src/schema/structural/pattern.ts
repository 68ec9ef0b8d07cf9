/** Patterns of custom resources: they come from users, so a linear-time engine evaluates them. */
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

import { patternCost } from './pattern-cost.ts';

/** What the patterns of one definition, each counted once, may cost together: some 60 ms. */
export const maxPatternCost = 40_000;

/** Costs of all that are kept compiled; an instruction takes some 100 bytes. */
const maxKnownCost = 300_000;

/** A pattern as it is kept. */
interface Known {
  /** Absent: the text is none. */
  readonly compiled: RE2JS | undefined;
  readonly cost: number;
}

const known = new LRUCache<string, Known>({
  maxSize: maxKnownCost,
  sizeCalculation: ({ cost }) => Math.max(1, Math.ceil(cost)),
});

/** The compiled pattern; undefined when it is none. Matches anywhere in a text, as JSON schema says. */
export function patternOf(text: string): RE2JS | undefined {
  const cached = known.get(text);
  if (cached) return cached.compiled;
  const compiled = compile(text);
  known.set(text, { compiled, cost: patternCost(text) });
  return compiled;
}

/** What it costs to compile a pattern, in instructions; nothing when it is compiled already. */
export function compilationCost(text: string): number {
  return known.get(text) ? 0 : patternCost(text);
}

/** Adds up what the patterns of one definition cost. */
export class PatternBudget {
  private readonly counted = new Set<string>();
  private left = maxPatternCost;

  /** False when the pattern is one too many: it should not be compiled then. */
  takes(pattern: string): boolean {
    if (this.counted.has(pattern)) return true;
    const cost = patternCost(pattern);
    if (cost > this.left) return false;
    this.counted.add(pattern);
    this.left -= cost;
    return true;
  }
}

function compile(text: string): RE2JS | undefined {
  try {
    return RE2JS.compile(text);
  } catch {
    return undefined;
  }
}
