/**
 * The audit log file: one event per line, rotated when it is large. Several processes may write one file:
 *
 * each checks before a write whether another has rotated it         (followName)
 * each batch is one write at the end, so that no line is torn       (AppendedFile)
 * one of them alone rotates it                                      (rotate, by a claim on the very file)
 */
import { link, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { pause } from '../base/pause.ts';
import { AppendedFile } from './appended-file.ts';
import { LogBackups, unlinkIfThere, type BackupOptions } from './log-backups.ts';
import { writeToOutput } from './standard-output.ts';
import type { AuditLine } from './types.ts';
import type { AuditWriter } from './audit-writer.ts';

export interface LogFileOptions extends BackupOptions {
  /** `-`: standard output, which is never rotated. */
  readonly path: string;
  /** Bytes after which the file is rotated. */
  readonly maxBytes: number;
}

/** How long to wait for another process that rotates the file, before its claim counts as stale. */
const claimWaits = { times: 100, eachMs: 10 };

export class LogFile implements AuditWriter {
  private readonly options: LogFileOptions;
  private readonly backups: LogBackups;
  private file: AppendedFile | undefined;
  /** Settles when all that was to be written is. */
  private last: Promise<void> = Promise.resolve();

  constructor(options: LogFileOptions) {
    this.options = options;
    this.backups = new LogBackups(options);
  }

  async write(
    lines: readonly AuditLine[],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    const written = this.last.then(() => this.writeNext(lines, signal));
    this.last = written.catch(() => undefined);
    await written;
  }

  private async writeNext(lines: readonly AuditLine[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    if (this.options.path === '-') return writeToOutput(this.options.clock, bytes, signal);
    await (await this.fileFor(bytes.length, signal)).append(bytes, signal);
  }

  async close(): Promise<void> {
    await this.backups.close();
    await this.closeFile();
  }

  private async closeFile(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
  }

  private async fileFor(length: number, signal: AbortSignal): Promise<AppendedFile> {
    // What an earlier process left behind.
    if (this.file === undefined) this.backups.tidy();
    for (let wait = 0; ; wait++) {
      signal.throwIfAborted();
      const { size, ino } = await this.followName();
      const isFull = size > 0 && size + length > this.options.maxBytes;
      if (!isFull) return (this.file ??= await this.openFile());
      if (await this.rotate(ino)) this.backups.tidy();
      else if (wait < claimWaits.times) await pause(this.options.clock, claimWaits.eachMs, signal);
      else await unlinkIfThere(this.claimName(ino));
    }
  }

  /** Opens what has the name now, unless it is open. */
  private async followName(): Promise<{ readonly size: number; readonly ino: number }> {
    const named = await statOf(this.options.path);
    if (named && this.file && named.ino === (await this.file.stat()).ino) return named;
    await this.closeFile();
    this.file = await this.openFile();
    return this.file.stat();
  }

  /**
   * Gives the file that was found full the name of a backup. A second name for it is the claim: none but its holder
   * may take the first one away. @returns false where another process is about to
   */
  private async rotate(ino: number): Promise<boolean> {
    const { path } = this.options;
    const claim = this.claimName(ino);
    try {
      await link(path, claim);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      if (codeOf(error) === 'ENOENT') return true;
      // File systems without hard links; there, two processes may rotate it one after the other.
      await rename(path, await this.backups.freeName());
      return true;
    }
    // Another process may have been through with it since it was looked at: then this is the next file.
    if ((await stat(claim)).ino === ino) {
      await linkAsBackup(claim, this.backups);
      await unlinkIfThere(path);
    }
    await unlinkIfThere(claim);
    return true;
  }

  private claimName(ino: number): string {
    return `${this.options.path}.${String(ino)}.full`;
  }

  private async openFile(): Promise<AppendedFile> {
    const { path, clock } = this.options;
    await mkdir(dirname(path), { recursive: true });
    return AppendedFile.open(path, clock);
  }
}

async function linkAsBackup(claim: string, backups: LogBackups): Promise<void> {
  for (;;) {
    try {
      await link(claim, await backups.freeName());
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function statOf(path: string): Promise<{ ino: number; size: number } | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
