/** Watches that continue each other. */
import type { WatchRecord } from './types.ts';

/** Each watch that continues none, with those that continue it, in order. */
export function chainsOf(watches: readonly WatchRecord[]): WatchRecord[][] {
  const chainOf = new Map<string, WatchRecord[]>();
  const chains: WatchRecord[][] = [];
  for (const watch of watches.toSorted((a, b) => a.call - b.call)) {
    let chain = watch.continues === undefined ? undefined : chainOf.get(watch.continues);
    if (chain === undefined) {
      chain = [];
      chains.push(chain);
    }
    chain.push(watch);
    chainOf.set(watch.id, chain);
  }
  return chains;
}
