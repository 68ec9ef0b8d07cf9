/** Retries calls after transient failures, such as a broken connection or a busy server. */
import { Backoff } from '../base/backoff.ts';
import type { Environment } from '../base/environment.ts';
import { pause } from '../base/pause.ts';
import { sharedTimeLimit } from '../base/time-limit.ts';
import { StatusError } from '../meta/status.ts';
import { LongAnswerError } from '../base/long-answer.ts';

export interface RetryRule {
  readonly maxAttempts: number;
  /** Timeout of an attempt. */
  readonly attemptMs: number;
  /** Exponential backoff between attempts. */
  readonly pauses: { readonly firstMs: number; readonly maxMs: number };
}

/**
 * Retries until success or the maximum number of attempts.
 * @param signal aborts attempts and pauses
 * @throws the last error
 */
export async function withRetries<T>(
  { clock, random }: Environment,
  call: (signal: AbortSignal) => Promise<T>,
  { maxAttempts, attemptMs, pauses }: RetryRule,
  signal: AbortSignal,
): Promise<T> {
  const backoff = new Backoff(pauses, random);
  for (let attempt = 1; ; attempt++) {
    try {
      using limit = sharedTimeLimit(clock, attemptMs, signal);
      return await call(limit.signal);
    } catch (error) {
      if (signal.aborted || attempt >= maxAttempts || !mayPass(error)) throw error;
    }
    await pause(clock, backoff.nextMs(), signal);
  }
}

/** Rejections and too long responses are permanent. */
function mayPass(error: unknown): boolean {
  if (error instanceof LongAnswerError) return false;
  return !(error instanceof StatusError) || error.code === 429 || error.code >= 500;
}
