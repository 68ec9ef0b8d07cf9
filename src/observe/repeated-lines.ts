/**
 * Log lines that requests cause, as many as clients want: of those with the same key the first ones are written at once,
 * the others are counted, and the last of them is written with that count when the time is over.
 *
 *   line ─▶ first 3 of a key in 10 s: written ─▶ further ones: counted ─▶ 10 s are over: the last one, `suppressed: N`
 */
import type { Clock, Timer } from '../base/clock.ts';
import type { LogFields, Logger } from './log.ts';

type Level = 'warn' | 'error';

export interface RepeatedLinesParts {
  readonly clock: Clock;
  readonly logger: Pick<Logger, Level>;
  /** What lines have in common that say the same; the message is part of it. */
  readonly keyOf: (fields: LogFields) => string;
}

/** Lines of a key that are written at once in this time. */
const mostAtOnce = 3;
const windowMs = 10_000;
/** Clients or other programs may choose keys; further ones share one. */
const maxKeys = 256;
const sharedKey = '';

interface Line {
  readonly level: Level;
  readonly message: string;
  readonly fields: LogFields;
}

interface Window {
  written: number;
  suppressed: number;
  last: Line | undefined;
}

export class RepeatedLines implements Pick<Logger, Level> {
  readonly #parts: RepeatedLinesParts;
  readonly #windows = new Map<string, Window>();
  /** Ends all windows that are open: a line is held back for at most this time. */
  #timer: Timer | undefined;

  constructor(parts: RepeatedLinesParts) {
    this.#parts = parts;
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#say({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.#say({ level: 'error', message, fields });
  }

  /** Writes what is held back, and stops the timer. */
  close(): void {
    this.#endWindows();
    this.#parts.clock.clear(this.#timer);
    this.#timer = undefined;
    this.#windows.clear();
  }

  #say(line: Line): void {
    const window = this.#windowOf(`${line.message}\n${this.#parts.keyOf(line.fields)}`);
    if (window.written < mostAtOnce) {
      window.written += 1;
      this.#write(line);
    } else {
      window.suppressed += 1;
      window.last = line;
    }
  }

  #windowOf(wanted: string): Window {
    const key = this.#windows.has(wanted) || this.#windows.size < maxKeys ? wanted : sharedKey;
    const window = this.#windows.get(key) ?? { written: 0, suppressed: 0, last: undefined };
    this.#windows.set(key, window);
    if (this.#timer === undefined) this.#startTimer();
    return window;
  }

  #startTimer(): void {
    const { clock } = this.#parts;
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      this.#endWindows();
      if (this.#windows.size > 0) this.#startTimer();
    }, windowMs);
    this.#timer.unref();
  }

  /** Of a key that goes on, the next lines are only counted; one that was quiet begins anew. */
  #endWindows(): void {
    for (const [key, window] of this.#windows) {
      const { suppressed, last } = window;
      if (!last) {
        this.#windows.delete(key);
        continue;
      }
      this.#write({ ...last, fields: { ...last.fields, suppressed } });
      window.suppressed = 0;
      window.last = undefined;
    }
  }

  #write({ level, message, fields }: Line): void {
    this.#parts.logger[level](message, fields);
  }
}

/** The place where an error was thrown, as key: its message may have the words of clients. */
export function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const place = /^ {4}at .*$/m.exec((error.stack ?? '').slice(-longestStack))?.[0];
  return `${error.name}${place ?? ''}`;
}

/** Characters at the end of a stack: frames, whatever the length of the message before them. */
const longestStack = 4_000;
