/** The output streams of a command; tests pass their own. */
import { systemClock } from '../base/clock.ts';
import { codeOf, messageOf } from '../base/errors.ts';
import { createLogger, type LogFormat } from '../observe/log.ts';
import { describeStartError, type StartErrorDetail } from '../base/start-error.ts';
import type { Notify } from '../observe/notice.ts';
import { Output } from './output.ts';

export interface CliIo {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Receives log records; the default log if absent. */
  readonly record?: (line: string) => void;
  /** Standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Why standard output lost what was printed, once that is written; undefined if nothing is lost. Absent: nothing ever is. */
  readonly loss?: () => Promise<Error | undefined>;
}

const output = new Output(process.stdout);
const errors = new Output(process.stderr);

export const processIo: CliIo = {
  out: (line) => {
    output.print(line);
  },
  err: (line) => {
    errors.print(line);
  },
  isTerminal: process.stdout.isTTY,
  loss: () => output.loss(),
};

/** The exit code that shells report for a program that SIGPIPE ends: 128 plus the number of the signal. */
const readerGone = 141;

/** Prints what a command was asked for. @returns exit code: quietly another one than 0 if the reader has gone */
export async function printResult(io: CliIo, text: string): Promise<number> {
  io.out(text);
  const lost = await io.loss?.();
  if (lost === undefined) return 0;
  if (codeOf(lost) === 'EPIPE') return readerGone;
  io.err(`orch-apiserver: standard output cannot be written: ${messageOf(lost)}`);
  return 1;
}

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
  if (io.isTerminal) return plainly(io);
  const logger = createLogger({
    ...{ clock: systemClock, format },
    ...(io.record && { destination: { write: io.record } }),
  });
  return ({ message, fields }) => {
    logger.info(message, fields);
  };
}
