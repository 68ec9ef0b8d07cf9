/** What others wait while something goes on. */
import { setTimeout as delay } from 'node:timers/promises';

import type { Replica } from '../../support/replica.ts';
import { check } from './case.ts';

const askedEveryMs = 20;

/** Milliseconds of the longest answer to a client that asks now and then. */
export async function longestAnswer(
  { admin }: Pick<Replica, 'admin'>,
  path: string,
  signal: AbortSignal,
): Promise<number> {
  let longest = 0;
  while (!signal.aborted) {
    await delay(askedEveryMs);
    const asked = performance.now();
    const { status, text } = await admin.get(path);
    check(status === 200, `others are answered: ${String(status)} ${text}`);
    longest = Math.max(longest, performance.now() - asked);
  }
  return longest;
}
