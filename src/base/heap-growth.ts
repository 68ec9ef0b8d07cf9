/**
 * Bounds the garbage of a large heap. The engine lets a heap grow to up to four times of what was in use before it collects
 * all of it: with 220 MB in use it grew to 725. Small heaps, where that saves most collections, are left to it.
 */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const mebibyte = 2 ** 20;
/** From so much in use on. */
const largeBytes = 96 * mebibyte;
/** What the heap is to stay below, with its garbage, as long as that leaves room enough. */
const wantedBytes = 352 * mebibyte;
/** Room that is enough: each collection goes over all that is in use. */
const leastPercent = 33;

/** By how many percent of what is in use the heap may grow; 0: as the engine thinks. */
export function growthPercentOf(usedBytes: number): number {
  if (usedBytes < largeBytes) return 0;
  return Math.max(leastPercent, Math.round((wantedBytes / usedBytes - 1) * 100));
}

/**
 * From now on the heap of this thread, and of other threads of the process, grows by no more than that. The growth is that
 * after the next collection, so that a heap that has become large overnight grows once by the engine's own measure.
 */
export function boundHeapGrowth(): void {
  let percent = 0;
  const observer = new PerformanceObserver((list) => {
    if (!list.getEntries().some(isMajor)) return;
    const next = growthPercentOf(getHeapStatistics().used_heap_size);
    if (next === percent) return;
    percent = next;
    setFlagsFromString(`--heap-growing-percent=${String(percent)}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}

function isMajor(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
