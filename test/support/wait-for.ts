/** Waiting for a condition with a deadline, instead of sleeping for a fixed time. */
import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Milliseconds until the wait is given up; default 15 s. */
  readonly timeout?: number;
  /** Milliseconds between two looks; default 25. */
  readonly interval?: number;
  /** More to say when time runs out, such as a log. */
  readonly details?: () => string;
}

/**
 * Calls `look` until it gives something other than undefined, false or null, and resolves with that.
 * A throwing `look` counts as "not yet".
 * @throws Error naming `what`, the last error and the details when time runs out
 */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = Date.now() + (options.timeout ?? 15_000);
  let lastError = '';
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== null && found !== false) {
        return found as Exclude<T, undefined | null | false>;
      }
    } catch (error) {
      lastError = ` (last error: ${String(error)})`;
    }
    if (Date.now() > deadline) {
      throw new Error(`gave up waiting for ${what}${lastError}${detail(options)}`);
    }
    await delay(options.interval ?? 25);
  }
}

/** Resolves as `promise` does, or rejects naming `what` after `timeout` milliseconds. */
export async function within<T>(what: string, timeout: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`gave up waiting ${String(timeout)} ms for ${what}`));
    }, timeout);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function detail(options: WaitOptions): string {
  return options.details === undefined ? '' : `\n${options.details()}`;
}
