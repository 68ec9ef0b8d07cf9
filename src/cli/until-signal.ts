/** Work that ends on a signal: a service shuts down gracefully, a job is cancelled. */
import type { LogFormat } from '../observe/log.ts';
import type { Notify } from '../observe/notice.ts';
import { notifierOf, notifyOfWarnings, plainly, type CliIo } from './io.ts';
import { stopOnSignals } from './signals.ts';

export interface ServiceContext {
  readonly signal: AbortSignal;
  readonly notify: Notify;
}

/** Runs until a signal stops it; warnings of Node go where other messages go. @returns exit code */
export async function runService(
  io: CliIo,
  run: (context: ServiceContext) => Promise<void>,
  format: LogFormat = 'json',
): Promise<number> {
  const notify = notifierOf(io, format);
  notifyOfWarnings(notify);
  const stop = stopOnSignals(notify);
  try {
    await run({ signal: stop.signal, notify });
    return 0;
  } finally {
    stop.close();
  }
}

/** Runs to completion, or until a signal cancels it, which has its own exit code. @param cancelled message for that case */
export async function runJob(
  io: CliIo,
  cancelled: string,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const stop = stopOnSignals(plainly(io));
  try {
    await run(stop.signal);
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    io.err(`orch-apiserver: ${cancelled}`);
    return 130;
  } finally {
    stop.close();
  }
}
