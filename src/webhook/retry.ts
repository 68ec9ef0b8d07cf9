/** Calls that are made again after failures that may pass, as of a connection that broke or a server that is busy. */
import { Backoff } from '../base/backoff.ts';
import { pause } from '../base/pause.ts';
import { StatusError } from '../meta/status.ts';
import { LongAnswerError } from '../base/long-answer.ts';

export interface RetryRule {
  readonly maxAttempts: number;
  /** Longest time for one attempt. */
  readonly attemptMs: number;
  /** Pauses between attempts grow from the first to the longest. */
  readonly pauses: { readonly firstMs: number; readonly maxMs: number };
}

/**
 * Calls until it succeeds, at most as often as the rule says.
 * @param signal ends all attempts and pauses
 * @throws what the last attempt threw
 */
export async function withRetries<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { maxAttempts, attemptMs, pauses }: RetryRule,
  signal: AbortSignal,
): Promise<T> {
  const backoff = new Backoff(pauses);
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]));
    } catch (error) {
      if (signal.aborted || attempt >= maxAttempts || !mayPass(error)) throw error;
    }
    await pause(backoff.nextMs(), signal);
  }
}

/** A refusal stays one, and so does an answer that is too long. */
function mayPass(error: unknown): boolean {
  if (error instanceof LongAnswerError) return false;
  return !(error instanceof StatusError) || error.code === 429 || error.code >= 500;
}
