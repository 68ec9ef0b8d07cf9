/** Logging: one line per record through pino, as JSON or as text. Credentials are removed: known fields and bearer tokens. */
import type { DestinationStream } from 'pino';
import { pino, stdSerializers } from 'pino';
import type { PassiveClock } from '../base/clock.ts';
import { shortText } from '../base/short-text.ts';
import { boundedLine, boundedRecord } from './bounded-record.ts';
import { klogLine } from './klog-line.ts';
import { LogOutput } from './log-output.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
/** `json`: a record of JSON per line. `text`: lines as klog writes them. */
export type LogFormat = 'json' | 'text';
export type LogFields = Readonly<Record<string, unknown>>;

/** The logger interface. `fields` become members of the JSON line; an error is passed as `err`. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  /** Dates the lines. */
  readonly clock: Pick<PassiveClock, 'now'>;
  readonly level?: LogLevel;
  /** Defaults to `json`. */
  readonly format?: LogFormat;
  /** Members of every line. */
  readonly fields?: LogFields;
  /** Destination of lines; defaults to `fd`. */
  readonly destination?: DestinationStream;
  /** File descriptor of lines; defaults to standard error. */
  readonly fd?: number;
}

/** Characters of the message and of the stack of an error: messages may have the words of other programs. */
const maxError = 8_000;

const secretNames = ['authorization', 'proxy-authorization', 'cookie', 'token', 'bearerToken', 'password'];
const redactedPaths = secretNames.flatMap((name) => [
  `["${name}"]`,
  `*["${name}"]`,
  `headers["${name}"]`,
  `*.headers["${name}"]`,
]);

/** The level of `--v`: 0 for warn, 1 to 3 for info, 4 and more for debug. */
export function levelOfVerbosity(verbosity: number): LogLevel {
  if (verbosity === 0) return 'warn';
  return verbosity < 4 ? 'info' : 'debug';
}

/** The logger of a process, with its health. */
export interface RootLogger extends Logger {
  /** '' while lines can be written, otherwise the reason; the health check `log`. */
  readonly health: () => string;
}

/** Creates the logger of a process. */
export function createLogger(options: LoggerOptions): RootLogger {
  const { clock, format = 'json' } = options;
  const output =
    options.destination === undefined ? outputOf(options.fd ?? standardError, { clock, format }) : undefined;
  const lines = options.destination ?? output;
  const most = output?.mostBytes ?? Infinity;
  const { level = 'info', fields } = options;
  const root = (): PinoTarget =>
    pino(
      {
        level,
        base: { ...fields },
        timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
        formatters: { level: (label) => ({ level: label }) },
        redact: { paths: redactedPaths, censor: '[redacted]' },
        serializers: { err: serializeError },
      },
      format === 'text' ? asText(lines, most) : asRecords(lines, most),
    );
  return { ...wrap(root, level), health: () => output?.health() ?? '' };
}

const standardError = 2;

function asRecords(lines: DestinationStream | undefined, most: number): DestinationStream | undefined {
  if (most === Infinity) return lines;
  return { write: (record) => lines?.write(boundedRecord(record, most)) };
}

function asText(lines: DestinationStream | undefined, most: number): DestinationStream {
  return {
    write: (record) => lines?.write(boundedLine(klogLine(boundedRecord(record, most)), most)),
  };
}

/** One per descriptor, so that the lines of all loggers stay in order. */
const outputs = new Map<number, LogOutput>();

function outputOf(fd: number, own: Pick<LoggerOptions, 'clock' | 'format'>): LogOutput {
  const found = outputs.get(fd);
  if (found !== undefined) return found;
  const output = new LogOutput(fd, (lines) => {
    createLogger({ ...own, destination: output }).warn(
      'log lines were dropped, as they could not be written',
      {
        lines,
      },
    );
  });
  outputs.set(fd, output);
  return output;
}

/** A logger that drops everything. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};

/** Removes bearer and basic credentials from text. */
export function scrub(text: string): string {
  return text.replace(/\b(bearer|basic)\s+[^\s"',;]+/gi, '$1 [redacted]');
}

/** The part of a pino logger that is used here. */
type PinoTarget = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void> & {
  child(fields: object): PinoTarget;
};

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const satisfies readonly LogLevel[];

/**
 * A replica has some twenty loggers, most of which never write a line: what looks for credentials in the fields of each is
 * made with its first line.
 * @param least lines of lower levels are dropped
 */
function wrap(make: () => PinoTarget, least: LogLevel): Logger {
  let made: PinoTarget | undefined;
  const target = (): PinoTarget => (made ??= make());
  const say = (level: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] => {
    if (levels.indexOf(level) < levels.indexOf(least)) return ignore;
    return (message, fields = {}) => {
      target()[level](fields, scrub(message));
    };
  };
  return {
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    child: (fields) => wrap(() => target().child(fields), least),
  };
}

function serializeError(value: unknown): unknown {
  if (!(value instanceof Error)) return scrub(String(value));
  const { type, message, stack } = stdSerializers.err(value);
  return { type, message: shortText(scrub(message), maxError), stack: shortText(scrub(stack), maxError) };
}

function ignore(): void {
  return;
}
