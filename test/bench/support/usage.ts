/** Processor time and memory of another process, from /proc; NaN where there is none. */
import { readFile } from 'node:fs/promises';

import type { RunReport } from './run.ts';

const ticksPerSecond = 100;

/** Seconds of processor time that the process has used, user and system. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await read(`/proc/${pid}/stat`)).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** A turn, with the processor time that these processes took meanwhile. */
export async function withCpu(
  pids: number | readonly number[],
  turn: () => Promise<RunReport>,
): Promise<RunReport> {
  const all = typeof pids === 'number' ? [pids] : pids;
  const before = await sumOver(all, cpuSeconds);
  const report = await turn();
  return { ...report, cpuSeconds: (await sumOver(all, cpuSeconds)) - before };
}

/** The sum of a figure of several processes. */
export async function sumOver(
  pids: readonly number[],
  figure: (pid: number) => Promise<number>,
): Promise<number> {
  return (await Promise.all(pids.map(figure))).reduce((total, one) => total + one, 0);
}

/** The process and all that descend from it. */
export async function processTree(pid: number): Promise<number[]> {
  const children = (await read(`/proc/${pid}/task/${pid}/children`)).split(' ').filter(Boolean).map(Number);
  return [pid, ...(await Promise.all(children.map(processTree))).flat()];
}

/** Megabytes that the process has in memory. */
export async function residentMegabytes(pid: number): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await read(`/proc/${pid}/status`))?.[1]) / 1024;
}

/** The most megabytes that the process has had in memory. */
export async function peakMegabytes(pid: number): Promise<number> {
  return Number(/VmHWM:\s+(\d+)/.exec(await read(`/proc/${pid}/status`))?.[1]) / 1024;
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
