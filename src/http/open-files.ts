/**
 * The limit of open files of this process (RLIMIT_NOFILE), of which each connection takes one. Where it is low, whoever
 * connects could take them all, and nobody else, etcd and webhooks among them, would be connected any more.
 */
import { readFileSync } from 'node:fs';
import { usualPending, type ConnectionLimits } from './connection-gate.ts';

/** The soft limit, which Node raises to the hard one at its start; undefined where the system does not tell or there is none. */
export function openFileLimit(
  read = (): string => readFileSync('/proc/self/limits', 'utf8'),
): number | undefined {
  try {
    const soft = Number(/^Max open files +(\d+) /m.exec(read())?.[1]);
    return Number.isSafeInteger(soft) ? soft : undefined;
  } catch {
    return undefined;
  }
}

/** Limits that leave a quarter of the open files to all else, and half to others than those who are not authenticated. */
export function withinOpenFiles<T extends ConnectionLimits>(limits: T, openFiles: number | undefined): T {
  if (openFiles === undefined) return limits;
  const most = Math.max(1, Math.floor((openFiles * 3) / 4));
  const max = limits.max === 0 ? most : Math.min(limits.max, most);
  const maxPending = Math.min(limits.maxPending ?? usualPending, Math.max(1, Math.floor(openFiles / 2)));
  return { ...limits, max, maxPending };
}
