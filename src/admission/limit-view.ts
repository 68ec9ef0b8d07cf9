/**
 * What the LimitRanges of a namespace say together. A write is compared with the tightest bound of each resource, however
 * many ranges there are, and names what it violates of the first range that it violates.
 */
import type { LimitRange as LimitRangeFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { boundsOf, isTighter, problemOf, type Bound, type Bounded } from './limit-range-bounds.ts';

export type LimitRange = Stored<LimitRangeFields>;

interface RangedBound extends Bound {
  readonly range: LimitRange;
  /** The place of the range among the others. */
  readonly place: number;
}

/** Bounds of one kind for one resource, each tighter than those of the ranges before: what violates one violates all behind it. */
type Tightening = RangedBound[];

export interface ContainerDefaults {
  readonly requests: ReadonlyMap<string, string>;
  readonly limits: ReadonlyMap<string, string>;
}

export class LimitView {
  readonly #requests = new Map<string, string>();
  readonly #limits = new Map<string, string>();
  /** By the type of what they bind, and by kind and resource. */
  readonly #bounds = new Map<string, Map<string, Tightening>>();
  #ranges = 0;

  /**
   * The next range. The first that has a default for a resource sets it, as where each is applied in turn: a range fills in
   * only what is still missing.
   */
  add(range: LimitRange): void {
    const place = (this.#ranges += 1);
    for (const item of range.spec?.limits ?? []) {
      if (item.type === 'Container') {
        addMissing(this.#requests, item.defaultRequest);
        addMissing(this.#limits, item.default);
      }
      const bounds = this.#boundsOf(item.type ?? '');
      for (const bound of boundsOf(item)) addBound(bounds, { ...bound, range, place });
    }
  }

  get isEmpty(): boolean {
    return this.#ranges === 0;
  }

  /** What containers get that they do not say themselves. */
  get defaults(): ContainerDefaults {
    return { requests: this.#requests, limits: this.#limits };
  }

  /** How many bounds anything of the type is compared with. */
  boundsOf(type: string): number {
    return this.#bounds.get(type)?.size ?? 0;
  }

  /** The first range with a bound that the amounts violate. */
  firstViolated(all: readonly Bounded[]): LimitRange | undefined {
    let first: RangedBound | undefined;
    for (const amounts of all) {
      for (const bounds of this.#bounds.get(amounts.type)?.values() ?? []) {
        const found = firstOf(bounds, amounts);
        if (found && (!first || found.place < first.place)) first = found;
      }
    }
    return first?.range;
  }

  #boundsOf(type: string): Map<string, Tightening> {
    const known = this.#bounds.get(type) ?? new Map<string, Tightening>();
    this.#bounds.set(type, known);
    return known;
  }
}

function addMissing(defaults: Map<string, string>, more: Readonly<Record<string, string>> = {}): void {
  for (const [name, amount] of Object.entries(more)) if (!defaults.has(name)) defaults.set(name, amount);
}

function addBound(bounds: Map<string, Tightening>, bound: RangedBound): void {
  const key = `${bound.kind} ${bound.resource}`;
  const known = bounds.get(key);
  const tightest = known?.at(-1);
  if (!known || !tightest) bounds.set(key, [bound]);
  else if (isTighter(bound, tightest)) known.push(bound);
}

function firstOf(bounds: Tightening, amounts: Bounded): RangedBound | undefined {
  const isViolated = (bound: RangedBound | undefined): boolean =>
    bound !== undefined && problemOf(bound, amounts) !== undefined;
  if (!isViolated(bounds.at(-1))) return undefined;
  let [low, high] = [0, bounds.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isViolated(bounds[middle])) high = middle;
    else low = middle + 1;
  }
  return bounds[low];
}
