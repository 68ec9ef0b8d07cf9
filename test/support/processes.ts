/** The processes of this machine, as /proc tells: small images have no `ps`. */
import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its arguments, with spaces between them. */
  readonly command: string;
}

/** Those whose command holds the text. */
export function processesWith(text: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => describe(Number(name)))
    .filter(({ command }) => command.includes(text));
}

/** The processes that do the work of a service (or of controllers), given that of its supervisor. */
export function workersOf(supervisor: number): number[] {
  const workers = processesWith('worker-main').filter(({ parent }) => parent === supervisor);
  return workers.map(({ pid }) => pid);
}

/** The processes that a process has started and that still run. */
export function childrenOf(pid: number): number[] {
  return processesWith('')
    .filter(({ parent }) => parent === pid)
    .map((child) => child.pid);
}

/** Ticks of the clock in a second, which Linux fixes for all programs. */
const ticks = 100;

/** Seconds of processor time that a process, with all its threads, has taken. @throws when it is gone */
export function cpuSecondsOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** None when it ended meanwhile, or is only waited for by its parent. */
function describe(pid: number): RunningProcess[] {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    // The name of the program stands in parentheses and may hold anything.
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? [] : [{ pid, parent: Number(parent), command }];
  } catch {
    return [];
  }
}
