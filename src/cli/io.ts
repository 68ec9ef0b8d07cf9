/** Where a command writes; tests give their own. */
import { createLogger } from '../observe/log.ts';
import { describeFault, type Fault } from '../base/start-error.ts';
import type { Notify } from '../observe/notice.ts';

export interface CliIo {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Gets records of the log; the log itself when absent. */
  readonly record?: (line: string) => void;
  /** A person reads along. */
  readonly isTerminal: boolean;
}

export const processIo: CliIo = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  isTerminal: process.stdout.isTTY,
};

/** One line per fault; the exit code of a failed start. */
export function tellFaults(io: CliIo, faults: readonly Fault[]): number {
  for (const fault of faults) io.err(`orch-apiserver: ${describeFault(fault)}`);
  return 1;
}

/** Lines on standard output, for commands whose whole output is lines. */
export function plainly(io: CliIo): Notify {
  return ({ message, hints = [] }) => {
    for (const line of [message, ...hints]) io.out(line);
  };
}

/** Warnings of Node (deprecations, leaks) like everything else that a running service says. */
export function notifyOfWarnings(notify: Notify): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    notify({ message: `${name}: ${message}`, fields: { warning: name } });
  });
}

/** Lines for a person at a terminal; elsewhere records of the log, whatever its level, for both streams may end in one. */
export function notifierOf(io: CliIo): Notify {
  if (io.isTerminal) {
    // It may close, which is no reason to end before what is under way has been stopped in order.
    process.stdout.on('error', () => undefined);
    return plainly(io);
  }
  const logger = createLogger(io.record && { destination: { write: io.record } });
  return ({ message, fields }) => {
    logger.info(message, fields);
  };
}
