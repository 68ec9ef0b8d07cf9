/** Processor time and memory of another process, from /proc; NaN where there is none. */
import { readFile } from 'node:fs/promises';

import type { RunReport } from './run.ts';

const ticksPerSecond = 100;

/** Seconds of processor time that the process has used, user and system. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await read(`/proc/${pid}/stat`)).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** A turn, with the processor time that a process took meanwhile. */
export async function withCpu(pid: number, turn: () => Promise<RunReport>): Promise<RunReport> {
  const before = await cpuSeconds(pid);
  const report = await turn();
  return { ...report, cpuSeconds: (await cpuSeconds(pid)) - before };
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

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
