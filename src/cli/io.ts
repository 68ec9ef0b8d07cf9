/** The output streams of a command; tests pass their own. */
import { systemClock } from '../base/clock.ts';
import { createLogger, type LogFormat } from '../observe/log.ts';
import { describeStartError, type StartErrorDetail } from '../base/start-error.ts';
import type { Notify } from '../observe/notice.ts';

export interface CliIo {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Receives log records; the default log if absent. */
  readonly record?: (line: string) => void;
  /** Standard output is a terminal. */
  readonly isTerminal: boolean;
}

export const processIo: CliIo = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  isTerminal: process.stdout.isTTY,
};

/** One line per error; the exit code of a failed start. */
export function printErrors(io: CliIo, errors: readonly StartErrorDetail[]): number {
  for (const error of errors) io.err(`orch-apiserver: ${describeStartError(error)}`);
  return 1;
}

/** Prints lines to standard output, for commands that do not log. */
export function plainly(io: CliIo): Notify {
  return ({ message, hints = [] }) => {
    for (const line of [message, ...hints]) io.out(line);
  };
}

/** Sends warnings of Node (deprecations, leaks) to the same output as other messages. */
export function notifyOfWarnings(notify: Notify): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    notify({ message: `${name}: ${message}`, fields: { warning: name } });
  });
}

/** Lines on a terminal; otherwise log records of any level, as both streams may be redirected to one file. */
export function notifierOf(io: CliIo, format: LogFormat = 'json'): Notify {
  if (io.isTerminal) {
    // A closed terminal must not end the process before a graceful stop.
    process.stdout.on('error', () => undefined);
    return plainly(io);
  }
  const logger = createLogger({
    ...{ clock: systemClock, format },
    ...(io.record && { destination: { write: io.record } }),
  });
  return ({ message, fields }) => {
    logger.info(message, fields);
  };
}
