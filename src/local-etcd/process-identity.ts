/** Identifies a process by id and start time, which distinguishes it from a later one with the same id. */
import { readFile } from 'node:fs/promises';
import { codeOf } from '../base/errors.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in ticks since boot; '' if unknown. */
  readonly started: string;
}

/** The identity of a running process. */
export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startOf(pid) };
}

/** Whether exactly this process is running. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return identity.started === '' || identity.started === (await startOf(identity.pid));
}

/** Parses a serialized identity; undefined if it is malformed. */
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
 * Field 22 of /proc/PID/stat; '' for a process that has exited, including zombies (state Z). The command name before
 * the fields may contain spaces and brackets.
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
