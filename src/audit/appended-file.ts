/**
 * A file that several processes append lines to, or a named pipe. Neither may hold a thread of Node's pool: a pipe without
 * a reader is an error (ENXIO, EPIPE), a slow reader is waited for without blocking.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { pause } from '../base/pause.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOCTTY } = constants;

const slowReaderMs = 50;
/** A file that ends within a line and does not grow for so long is torn: nobody is about to write the rest. */
const settleMs = 250;
const newline = 0x0a;

export class AppendedFile {
  private readonly path: string;
  private readonly clock: Clock;
  private readonly file: FileHandle;
  /** A process that ended, or a full disk, may have left a line without its end. */
  private mayBeTorn = true;
  /** Size at which the last line was found incomplete. A full disk keeps it so: the rest is not waited for again. */
  private tornAt = 0;
  /** Whether the last write of this process took only a part. */
  private isCut = false;

  private constructor(path: string, file: FileHandle, clock: Clock) {
    this.path = path;
    this.file = file;
    this.clock = clock;
  }

  /** Only the owner may read a file that it makes. */
  static async open(path: string, clock: Clock): Promise<AppendedFile> {
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY;
    return new AppendedFile(path, await open(path, flags, 0o600), clock);
  }

  stat(): Promise<{ readonly size: number; readonly ino: number }> {
    return this.file.stat();
  }

  close(): Promise<void> {
    return this.file.close();
  }

  /**
   * Appends whole lines, in one piece as far as the system lets us: what is written in parts may get lines of others
   * between them. They begin on a line of their own.
   * @throws Error when not all was written, also when the signal ends while a reader is slow
   */
  async append(bytes: Buffer, signal: AbortSignal): Promise<void> {
    const lines = (await this.endsWithinLine(signal)) ? Buffer.concat([Buffer.of(newline), bytes]) : bytes;
    this.mayBeTorn = true;
    for (let written = 0; written < lines.length;) {
      const count = await this.taken(lines.subarray(written));
      written += count;
      this.isCut = written > 0 && written < lines.length;
      if (count > 0) continue;
      signal.throwIfAborted();
      await pause(this.clock, slowReaderMs, signal);
    }
    this.mayBeTorn = false;
  }

  /** 0 while the reader is slow. */
  private async taken(bytes: Buffer): Promise<number> {
    try {
      return (await this.file.write(bytes)).bytesWritten;
    } catch (error) {
      if (codeOf(error) === 'EAGAIN') return 0;
      throw error;
    }
  }

  private async endsWithinLine(signal: AbortSignal): Promise<boolean> {
    if (!this.mayBeTorn) return false;
    const before = await this.file.stat();
    if (!before.isFile()) return this.isCut;
    if (before.size === 0 || (await this.lastByte(before.size)) === newline) return false;
    if (before.size === this.tornAt) return true;
    // Another process may be in the middle of a long line.
    await pause(this.clock, settleMs, signal);
    const { size } = await this.file.stat();
    if (size !== before.size || (await this.lastByte(size)) === newline) return false;
    this.tornAt = size;
    return true;
  }

  private async lastByte(size: number): Promise<number | undefined> {
    await using file = await open(this.path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return bytesRead === 1 ? buffer[0] : undefined;
  }
}
