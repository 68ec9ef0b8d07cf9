/** Sorting of lists that may be long: `Array.prototype.sort` of ten thousand texts takes ten milliseconds, in one step. */

/** Sorted at once, in well below a millisecond. */
const runLength = 256;

/** A sorted copy, stable, made in steps. @param compare as that of `Array.prototype.sort` */
export function* sortedInSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[], void> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(yield* merged(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merged<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[], void> {
  const all: T[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    // As i and j are within the lists, both are there.
    all.push(compare(left[i] as T, right[j] as T) <= 0 ? (left[i++] as T) : (right[j++] as T));
    if (all.length % runLength === 0) yield;
  }
  for (const rest of [left.slice(i), right.slice(j)]) {
    for (const item of rest) all.push(item);
    yield;
  }
  return all;
}
