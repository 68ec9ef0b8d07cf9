/**
 * How processor time and memory grow with the length of a list, told in spite of other work on the machine: of time the
 * least of several measurements counts; what is allocated is the same each time.
 */
import { getHeapStatistics } from 'node:v8';
import { smallBodyBytes } from '../../../src/codec/limits.ts';

/** A piece of work of a size, prepared: what it gives back is done once and measured. */
export type Prepare = (length: number) => {
  /** All that the work reads: the body, and the object as it is stored. */
  readonly bytes: number;
  readonly run: () => Promise<void>;
};

export interface Growth {
  readonly length: number;
  readonly bytes: number;
  readonly ms: number;
  /** Time of the length over that of half of it. */
  readonly ratio: number;
  /** Bytes that were allocated on the heap, garbage too. */
  readonly allocated: number;
  readonly allocatedRatio: number;
}

export interface Limits {
  /** The length to begin with. */
  readonly start: number;
  /** Bodies are no larger. */
  readonly maxBytes: number;
}

/** What looks like growth at first is measured again, and at more length; below it nobody looks twice. */
const suspiciousRatio = 2.6;
/** Twice the length takes twice the time; sorting, garbage and caches take their part. */
const failingRatio = 3.2;
/** What takes less is not told from noise. */
const floorMs = 0.7;
/** What takes less is no failure, however it grows; on a usual processor, as all that follows. */
const failingMs = 25;
/** Work that is linear may take so long for each KB. */
const mostMsPerKb = 1;
/** What `usualWork` takes there. */
const usualMs = 0.8;

/** What allocates more than twice as much for twice the length, apart from tables that grow by leaps. */
const failingAllocatedRatio = 3.2;
/** Below the first nobody looks twice; the second is far beyond the leaps of a single table. */
const floorAllocated = 4 * 1024 * 1024;
const failingAllocated = 32 * 1024 * 1024;

/** No body that the serving thread takes itself may hold it longer. */
const mostHeldMs = 100;

/** Undefined: it grows about linearly, and small bodies are done with soon. */
export async function superlinear(
  prepare: Prepare,
  { start, maxBytes }: Limits,
): Promise<Growth | undefined> {
  let growth = await once(prepare, start, 1);
  const held = await heldBySmall(prepare, growth);
  if (held) return held;
  if (!isSuspicious(growth)) return undefined;
  for (let length = start; ; length *= 2) {
    growth = await once(prepare, length, 4);
    if (!isSuspicious(growth)) return undefined;
    const isLast = growth.bytes * 2 > maxBytes || growth.ms > 2_000;
    if (isFailing(growth) && isFailing((growth = await once(prepare, length, 8))) && isLast) return growth;
    // What grows at one length only is a table that grew, or the garbage collector.
    if (!isLast && isFailing(growth) && isFailing(await once(prepare, length * 2, 4))) return growth;
    if (isLast) return undefined;
  }
}

/** Work on the largest body that the serving thread takes itself; undefined where it is soon done. */
async function heldBySmall(prepare: Prepare, first: Growth): Promise<Growth | undefined> {
  const share = Math.min(1, smallBodyBytes / first.bytes);
  if (first.ms * share < mostHeldMs / 2) return undefined;
  let length = 2 * Math.ceil((first.length * share) / 2);
  while (length > 2 && prepare(length).bytes > smallBodyBytes) length = 2 * Math.floor(length * 0.45);
  const growth = await once(prepare, length, 8);
  return growth.ms > mostHeldMs ? growth : undefined;
}

function isSuspicious(growth: Growth): boolean {
  return (growth.ms >= floorMs && !isLinear(growth, suspiciousRatio)) || takesMemory(growth, floorAllocated);
}

function isFailing(growth: Growth): boolean {
  if (takesMemory(growth, failingAllocated)) return true;
  if (growth.ms <= failingMs || isLinear(growth, failingRatio)) return false;
  return !isLinear({ ...growth, ms: growth.ms / slowness() }, failingRatio);
}

/** How many times a usual processor this one takes now; at least 1. Others use it, too, and those of rented machines differ. */
function slowness(): number {
  let least = Infinity;
  for (let i = 0; i < 10; i += 1) {
    const started = processCpuMs();
    usualWork();
    least = Math.min(least, processCpuMs() - started);
  }
  return Math.max(1, least / usualMs);
}

const usualList = Array.from({ length: 2_000 }, (_none, i) => ({
  name: `item-${String(i)}`,
  value: i,
  tags: ['a', 'b'],
}));

function usualWork(): void {
  JSON.parse(JSON.stringify(usualList));
}

function takesMemory({ allocated, allocatedRatio }: Growth, floor: number): boolean {
  return allocated > floor && allocatedRatio > failingAllocatedRatio;
}

function isLinear({ ms, ratio, bytes }: Growth, mostRatio: number): boolean {
  return ratio < mostRatio && ms < (bytes / 1024) * mostMsPerKb + 10;
}

/** The least of some repetitions: nothing makes work faster than it is. */
async function once(prepare: Prepare, length: number, repetitions: number): Promise<Growth> {
  const [half, whole] = [prepare(length / 2), prepare(length)];
  let [less, more] = [nothingYet, nothingYet];
  for (let i = 0; i < repetitions; i += 1) {
    less = least(less, await spentBy(half.run));
    more = least(more, await spentBy(whole.run));
  }
  return {
    ...{
      length,
      bytes: whole.bytes,

      ms: more.ms,
      ratio: more.ms / Math.max(less.ms, 0.05),
    },
    ...{ allocated: more.allocated, allocatedRatio: more.allocated / less.allocated },
  };
}

interface Spent {
  readonly ms: number;
  readonly allocated: number;
}

const nothingYet: Spent = { ms: Infinity, allocated: Infinity };

function least(one: Spent, other: Spent): Spent {
  return { ms: Math.min(one.ms, other.ms), allocated: Math.min(one.allocated, other.allocated) };
}

async function spentBy(run: () => Promise<void>): Promise<Spent> {
  const [started, before] = [processCpuMs(), allocatedBytes()];
  await run();
  return { ms: processCpuMs() - started, allocated: allocatedBytes() - before };
}

function allocatedBytes(): number {
  return getHeapStatistics().total_allocated_bytes;
}

/** That of a thread is counted in steps of milliseconds on some systems; nothing else works in this process. */
export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
