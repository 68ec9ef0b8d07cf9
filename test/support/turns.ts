/** How long single turns of the event loop hold the thread. */
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cpuMsSince, moment } from './cpu-time.ts';

interface Turn {
  /** When the turn ended, in milliseconds of `performance.now()`. */
  readonly ended: number;
  /** Milliseconds of processor time. */
  spent: number;
}

/**
 * Processor time of the turns of the event loop until work that this call starts is done, in descending order. Full
 * garbage collections are left out: what they take depends on the heap of the test's process, which holds what earlier
 * test files left there.
 */
export async function turnsOf(work: () => unknown): Promise<number[]> {
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  try {
    const turns = await measuredTurns(work);
    // Entries are told in a turn of their own.
    await nextTurn();
    collections.push(...observer.takeRecords());
    for (const entry of collections) takeOut(entry, turns);
    return turns.map(({ spent }) => spent).sort((a, b) => b - a);
  } finally {
    observer.disconnect();
  }
}

async function measuredTurns(work: () => unknown): Promise<Turn[]> {
  const turns: Turn[] = [];
  let begin = moment();
  const note = (): void => {
    const spent = cpuMsSince(begin);
    begin = moment();
    turns.push({ ended: begin.clock, spent });
  };
  let timer = setImmediate(function next() {
    note();
    timer = setImmediate(next);
  });
  try {
    await work();
    note();
  } finally {
    clearImmediate(timer);
  }
  return turns;
}

/** Takes a full collection out of the turn in which it fell. */
function takeOut(entry: PerformanceEntry, turns: Turn[]): void {
  const { kind } = (entry as PerformanceEntry & { detail: { kind: number } }).detail;
  if (kind !== constants.NODE_PERFORMANCE_GC_MAJOR) return;
  const turn = turns.find(({ ended }) => entry.startTime < ended);
  if (turn) turn.spent = Math.max(0, turn.spent - entry.duration);
}
