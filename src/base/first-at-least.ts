/** The index of the first number that is not below the wanted one, by binary search; the length if there is none. */
export function firstAtLeast(sorted: readonly number[], wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
