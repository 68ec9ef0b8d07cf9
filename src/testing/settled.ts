/** What `settled` says when controllers do not come to rest. */
import type { WorkLeft } from '../controllers/work-left.ts';

export interface SettledOptions {
  /** Default 10 seconds. */
  readonly timeoutMs?: number;
}

export const defaultTimeoutMs = 10_000;
const mostNamed = 20;

/** The controllers still have work. */
export class SettleTimeout extends Error {
  /** Empty if objects change all the time. */
  readonly left: readonly WorkLeft[];

  constructor(message: string, left: readonly WorkLeft[]) {
    super(message);
    this.name = 'SettleTimeout';
    this.left = left;
  }

  static of(timeoutMs: number, left: readonly WorkLeft[]): SettleTimeout {
    const first = `The control plane did not settle within ${String(timeoutMs)} ms.`;
    return new SettleTimeout([first, ...explain(left)].join('\n'), left);
  }
}

function explain(left: readonly WorkLeft[]): string[] {
  if (left.length === 0) return ['No controller has work left, but objects change all the time.'];
  const lines = left
    .slice(0, mostNamed)
    .map(({ queue, key, ...when }) => `  ${queue}: ${key}, ${wordsOf(when)}`);
  const more = left.length - lines.length;
  return ['Controllers still have work:', ...lines, ...(more > 0 ? [`  and ${String(more)} more`] : [])];
}

function wordsOf({ state, dueInMs }: Pick<WorkLeft, 'state' | 'dueInMs'>): string {
  const when = `in ${String(Math.ceil(dueInMs))} ms`;
  const words: Readonly<Record<WorkLeft['state'], string>> = {
    starting: 'starts',
    waiting: 'waits for a worker',
    working: 'is worked on',
    failed: `failed, and is tried again ${when}`,
    later: `is looked at again ${when}`,
  };
  return words[state];
}
