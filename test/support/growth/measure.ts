/** How processor time grows with the length of a list, told in spite of other work on the machine. */
/** A piece of work of a size, prepared: what it gives back is done once and measured. */
export type Prepare = (length: number) => { readonly bytes: number; readonly run: () => Promise<void> };

export interface Growth {
  readonly length: number;
  readonly bytes: number;
  readonly ms: number;
  /** Time of the length over that of half of it. */
  readonly ratio: number;
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
/** What takes less is no failure, however it grows. */
const failingMs = 25;
/** Work that is linear may take so long for each KB. */
const mostMsPerKb = 1;

/** Undefined: it grows about linearly. */
export async function superlinear(
  prepare: Prepare,
  { start, maxBytes }: Limits,
): Promise<Growth | undefined> {
  let growth = await once(prepare, start, 1);
  if (growth.ms < floorMs || isLinear(growth, suspiciousRatio)) return undefined;
  for (let length = start; ; length *= 2) {
    growth = await once(prepare, length, 4);
    if (growth.ms < floorMs || isLinear(growth, suspiciousRatio)) return undefined;
    if (isFailing(growth) && isFailing((growth = await once(prepare, length, 8)))) return growth;
    if (growth.bytes * 2 > maxBytes || growth.ms > 2_000) return undefined;
  }
}

function isFailing(growth: Growth): boolean {
  return growth.ms > failingMs && !isLinear(growth, failingRatio);
}

function isLinear({ ms, ratio, bytes }: Growth, mostRatio: number): boolean {
  return ratio < mostRatio && ms < (bytes / 1024) * mostMsPerKb + 10;
}

/** The least of some repetitions: nothing makes work faster than it is. */
async function once(prepare: Prepare, length: number, repetitions: number): Promise<Growth> {
  const [half, whole] = [prepare(length / 2), prepare(length)];
  let [halfMs, ms] = [Infinity, Infinity];
  for (let i = 0; i < repetitions; i += 1) {
    halfMs = Math.min(halfMs, await timed(half.run));
    ms = Math.min(ms, await timed(whole.run));
  }
  return { length, bytes: whole.bytes, ms, ratio: ms / Math.max(halfMs, 0.05) };
}

async function timed(run: () => Promise<void>): Promise<number> {
  const started = processCpuMs();
  await run();
  return processCpuMs() - started;
}

/** That of a thread is counted in steps of milliseconds on some systems; nothing else works in this process. */
export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
