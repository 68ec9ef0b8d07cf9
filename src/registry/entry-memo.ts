/** What is made from an entry's bytes is made once per revision and dropped with it (architecture.md, decision 4). */
import type { Entry } from '../storage/types.ts';

/** Makes a function of entries that remembers its answer on the entry. The answer must not be mutated. */
export function memoized<T>(make: (entry: Entry) => T): (entry: Entry) => T {
  return (entry) => {
    const memo = (entry.memo ??= new Map());
    if (memo.has(make)) return memo.get(make) as T;
    const value = make(entry);
    memo.set(make, value);
    return value;
  };
}
