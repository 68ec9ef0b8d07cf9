/**
 * Output of a worker process besides its log: warnings of Node, the stack of an uncaught error, fatal errors of V8.
 * Each piece becomes a log record, and the last lines are kept to determine the exit reason.
 */
import { systemClock } from '../base/clock.ts';
import type { Readable } from 'node:stream';
import { pause } from '../base/pause.ts';
import { scrub, type Logger } from '../observe/log.ts';

/** Output within this time becomes one record. */
const settleMs = 50;
/** Maximum output of a record; the rest is counted. */
const recordLength = 16 * 1024;
const tailLength = 8 * 1024;
/** The exit event precedes the end of the output. */
const endMs = 500;

export class StrayOutput {
  private readonly log: (output: string, cut: number) => void;
  private readonly ended: Promise<unknown>;
  private waiting = '';
  private cut = 0;
  private kept = '';
  private timer: NodeJS.Timeout | undefined;

  /** Reads `stream` until its end; null if the process could not be started. */
  constructor(stream: Readable | null, logger: Logger, fields: () => Readonly<Record<string, unknown>>) {
    this.log = (output, cut) => {
      logger.warn('output of a worker', { ...fields(), output: scrub(output), ...(cut > 0 && { cut }) });
    };
    stream?.setEncoding('utf8').on('data', (text: string) => {
      this.take(text);
    });
    this.ended =
      stream === null ? Promise.resolve() : new Promise((resolve) => stream.once('close', resolve));
  }

  /** The last lines, once everything is read. */
  async tail(): Promise<string> {
    const giveUp = new AbortController();
    await Promise.race([this.ended, pause(systemClock, endMs, giveUp.signal)]);
    giveUp.abort();
    this.flush();
    return this.kept;
  }

  private take(text: string): void {
    const taken = text.slice(0, recordLength - this.waiting.length);
    this.waiting += taken;
    this.cut += text.length - taken.length;
    this.kept = (this.kept + text).slice(-tailLength);
    this.timer ??= setTimeout(() => {
      this.flush();
    }, settleMs).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting !== '') this.log(this.waiting.trimEnd(), this.cut);
    this.waiting = '';
    this.cut = 0;
  }
}
