/** Whether a process that a file names still runs; its start time tells it from a later one with the same number. */
import { readFile } from 'node:fs/promises';
import { codeOf } from '../base/errors.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in ticks since boot; '' where the system does not tell. */
  readonly started: string;
}

/** The identity of a running process. */
export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startOf(pid) };
}

/** True while the very process runs. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return identity.started === '' || identity.started === (await startOf(identity.pid));
}

/** Reads a text that `JSON.stringify` made of an identity; undefined for anything else. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value))
      return undefined;
    const { pid, started } = value;
    return typeof pid === 'number' && pid > 0 && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Field 22 of the kernel's line, '' for a process that is gone. One that has ended and waits to be noticed by its
 * parent (state Z) is gone, too. The command name before the fields may hold spaces and brackets.
 */
async function startOf(pid: number): Promise<string> {
  try {
    const line = await readFile(`/proc/${String(pid)}/stat`, 'utf8');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
