/** What files that run beside each other set up once. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { waitFor } from './wait-for.ts';

/** Milliseconds until another process must be done. */
const patience = 300_000;

/**
 * Does work while no other process does work of this name. Of a process that was killed meanwhile nothing stays.
 * @param lock path of a file that exists as long
 * @throws Error when the work of another process takes minutes; what the work throws
 */
export async function oneAtATime<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(lock), { recursive: true });
  await waitFor(`the end of what holds ${lock}`, () => takes(lock), { timeout: patience, interval: 250 });
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function takes(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (await isLeftBehind(lock)) await rm(lock, { force: true });
    return false;
  }
}

/** Whether the process that took it is gone; one that has not yet said which it is counts as there. */
async function isLeftBehind(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, 'utf8'));
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
