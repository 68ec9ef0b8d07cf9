/** Least and most that something may cost, or may hold. What has no bound is infinite. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export const nothing: Bounds = { min: 0, max: 0 };
export const unknown: Bounds = { min: 0, max: Number.POSITIVE_INFINITY };

export function exactly(value: number): Bounds {
  return { min: value, max: value };
}

export function plus(...all: readonly Bounds[]): Bounds {
  let [min, max] = [0, 0];
  for (const one of all) {
    min += one.min;
    max += one.max;
  }
  return { min, max };
}

/** Nothing times infinity is nothing. */
function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}

export function times(a: Bounds, b: Bounds): Bounds {
  return { min: product(a.min, b.min), max: product(a.max, b.max) };
}

/** Rounded up. */
export function scaled({ min, max }: Bounds, factor: number): Bounds {
  return { min: Math.ceil(min * factor), max: Math.ceil(max * factor) };
}

/** What either of them may be. */
export function either(a: Bounds, b: Bounds): Bounds {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
