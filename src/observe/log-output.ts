/**
 * Writes log lines to a file descriptor, which may be a full disk, a pipe without a reader, or closed. None of these
 * blocks a thread, crashes the process or prevents its exit; lines wait in bounded memory. write ─▶ waiting ─▶ one
 * write at a time ──taken──▶ the next ▲ │ └── pause ◀── refused (EAGAIN: the reader is slow; anything else is a
 * problem that `health` reports)
 */
import { fstatSync, write, writeSync } from 'node:fs';
import { codeOf, messageOf } from '../base/errors.ts';
import { stillWithoutWaiting, withoutWaiting } from '../base/without-waiting.ts';

/**
 * Maximum size of an atomic pipe write (PIPE_BUF on Linux), so that lines of several processes are not interleaved.
 */
const pieceBytes = 4_096;
/** Lines beyond this are dropped and counted. */
const waitingBytes = 1024 * 1024;
const slowReaderMs = 50;
/** A reader that takes nothing for so long, while lines are dropped, is missing: a burst alone fills what may wait. */
const missingReaderMs = 3_000;
const problemMs = 1_000;
/** Maximum time that an exiting process waits for a slow reader. */
const writeRemainingMs = 500;

export class LogOutput {
  /** Longest line that stays whole beside those of other processes. */
  readonly mostBytes: number;
  private readonly fd: number;
  private readonly onTaken: (lost: number) => void;
  private waiting: Buffer[] = [];
  private bytes = 0;
  private lost = 0;
  private isWriting = false;
  /** Since when lines wait and none is taken; undefined if none waits. */
  private waitingSince: number | undefined;
  private problem = '';

  /** @param onTaken called with the number of dropped lines once writes succeed again */
  constructor(fd: number, onTaken: (lost: number) => void = () => undefined) {
    this.fd = withoutWaiting(fd);
    this.mostBytes = isFile(fd) ? Infinity : pieceBytes;
    this.onTaken = onTaken;
    process.once('exit', () => {
      this.writeRemaining();
    });
  }

  /** '' while writes succeed, otherwise the reason: that of a failed write, or that lines are dropped and none is taken. */
  health(): string {
    if (this.problem !== '' || this.lost === 0 || this.waitingSince === undefined) return this.problem;
    return performance.now() - this.waitingSince > missingReaderMs ? 'the log has no reader' : '';
  }

  /** Writes one or more lines. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.bytes + bytes.length > waitingBytes) {
      this.lost += 1;
      return;
    }
    this.waiting.push(bytes);
    this.bytes += bytes.length;
    if (!this.isWriting) this.next();
  }

  private next(): void {
    const piece = this.piece();
    this.isWriting = piece !== undefined;
    if (piece === undefined) return;
    this.waitingSince ??= performance.now();
    write(stillWithoutWaiting(this.fd), piece, (error, written) => {
      if (error === null) this.taken(piece, written);
      else this.failed(piece, error);
    });
  }

  /** The waiting lines of the next write. */
  private piece(): Buffer | undefined {
    let count = 0;
    for (let bytes = 0; count < this.waiting.length; count += 1) {
      bytes += this.waiting[count]?.length ?? 0;
      if (count > 0 && bytes > pieceBytes) break;
    }
    if (count <= 1) return this.waiting.shift();
    return Buffer.concat(this.waiting.splice(0, count));
  }

  private taken(piece: Buffer, written: number): void {
    this.bytes -= written;
    if (written < piece.length) this.waiting.unshift(piece.subarray(written));
    this.problem = '';
    this.waitingSince = undefined;
    const { lost } = this;
    this.lost = 0;
    if (lost > 0) this.onTaken(lost);
    this.next();
  }

  private failed(piece: Buffer, error: NodeJS.ErrnoException): void {
    this.waiting.unshift(piece);
    const isSlow = codeOf(error) === 'EAGAIN';
    if (!isSlow) this.problem = messageOf(error);
    // Remaining lines are written at exit.
    setTimeout(() => this.next(), isSlow ? slowReaderMs : problemMs).unref();
  }

  /** At exit: writes the remaining lines synchronously, as far as possible. */
  private writeRemaining(): void {
    const until = performance.now() + writeRemainingMs;
    for (let piece = this.piece(); piece !== undefined; piece = this.piece()) {
      const written = this.writeNow(piece);
      if (written === undefined || (written === 0 && performance.now() > until)) return;
      if (written < piece.length) this.waiting.unshift(piece.subarray(written));
    }
  }

  /** Number of written bytes; undefined if no more can be written. */
  private writeNow(piece: Buffer): number | undefined {
    try {
      return writeSync(stillWithoutWaiting(this.fd), piece);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') return undefined;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowReaderMs / 5);
      return 0;
    }
  }
}

/** A file takes a line of any length at once. */
function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
