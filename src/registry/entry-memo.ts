/** Memoizes functions of entries: values are computed once per revision and dropped with the entry. */
import type { Entry } from '../storage/types.ts';

/** Memoizes a function on the entry. The result must not be mutated. */
export function memoized<T>(make: (entry: Entry) => T): (entry: Entry) => T {
  return (entry) => {
    const memo = (entry.memo ??= new Map());
    if (memo.has(make)) return memo.get(make) as T;
    const value = make(entry);
    memo.set(make, value);
    return value;
  };
}
