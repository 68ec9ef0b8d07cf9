/**
 * Where the lines of the log go: a file descriptor that may be a full disk, a pipe without a reader, or a closed one.
 * None of these holds up a thread, ends the process or keeps it from ending; lines wait for a while, in bounded memory.
 *
 * write ─▶ waiting ─▶ one write at a time ──taken──▶ the next
 * ▲                │
 * └── pause ◀── refused (EAGAIN: the reader is slow; anything else is a problem that `health` reports)
 */
import { write, writeSync } from 'node:fs';
import { codeOf, messageOf } from '../base/errors.ts';
import { withoutWaiting } from '../base/without-waiting.ts';

/** Longest piece that a pipe takes whole or not at all (PIPE_BUF on Linux): lines of several processes stay whole. */
const pieceBytes = 4_096;
/** Lines beyond are lost, and counted. */
const waitingBytes = 1024 * 1024;
const slowReaderMs = 50;
const problemMs = 1_000;
/** Longest time that an ending process waits for a slow reader. */
const writeRemainingMs = 500;

export class LogOutput {
  private readonly fd: number;
  private readonly onTaken: (lost: number) => void;
  private waiting: Buffer[] = [];
  private bytes = 0;
  private lost = 0;
  private isWriting = false;
  private problem = '';

  /** @param onTaken called with the number of lost lines, once lines can be written again */
  constructor(fd: number, onTaken: (lost: number) => void = () => undefined) {
    this.fd = withoutWaiting(fd);
    this.onTaken = onTaken;
    process.once('exit', () => {
      this.writeRemaining();
    });
  }

  /** '' while lines are taken, otherwise why not. */
  health(): string {
    return this.problem;
  }

  /** Takes a line, or several. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.bytes + bytes.length > waitingBytes) {
      this.lost += 1;
      this.problem ||= 'the log has no reader';
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
    write(this.fd, piece, (error, written) => {
      if (error === null) this.taken(piece, written);
      else this.failed(piece, error);
    });
  }

  /** As many waiting lines as go out together. */
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
    const { lost } = this;
    this.lost = 0;
    if (lost > 0) this.onTaken(lost);
    this.next();
  }

  private failed(piece: Buffer, error: NodeJS.ErrnoException): void {
    this.waiting.unshift(piece);
    const isSlow = codeOf(error) === 'EAGAIN';
    if (!isSlow) this.problem = messageOf(error);
    // What still waits at the end is written by lastWords.
    setTimeout(() => this.next(), isSlow ? slowReaderMs : problemMs).unref();
  }

  /** At the end of the process there is no other time: writes what waits, as far as it is taken. */
  private writeRemaining(): void {
    const until = performance.now() + writeRemainingMs;
    for (let piece = this.piece(); piece !== undefined; piece = this.piece()) {
      const written = this.writeNow(piece);
      if (written === undefined || (written === 0 && performance.now() > until)) return;
      if (written < piece.length) this.waiting.unshift(piece.subarray(written));
    }
  }

  /** Bytes that were taken; undefined: no more are. */
  private writeNow(piece: Buffer): number | undefined {
    try {
      return writeSync(this.fd, piece);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') return undefined;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowReaderMs / 5);
      return 0;
    }
  }
}
