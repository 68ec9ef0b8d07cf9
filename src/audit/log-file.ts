/**
 * The file of audit events: a line each, begun anew when it is large. Several processes may write one file: each looks
 * before it writes whether another has begun a new one.
 */
import { mkdir, open, readdir, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { codeOf } from '../base/errors.ts';
import type { AuditLine } from './types.ts';
import type { AuditWriter } from './writer.ts';

export interface LogFileOptions {
  /** `-`: standard output, which is never begun anew. */
  readonly path: string;
  /** Bytes after which the file is begun anew. */
  readonly maxBytes: number;
  /** Older backups are removed; 0: however old they are. */
  readonly maxAgeMs: number;
  /** More backups are removed; 0: however many there are. */
  readonly maxBackups: number;
}

const dayMs = 24 * 60 * 60 * 1_000;
/** Of `maxAgeMs`, for flags in days. */
export const daysInMs = (days: number): number => days * dayMs;

export class LogFile implements AuditWriter {
  private readonly options: LogFileOptions;
  private file: FileHandle | undefined;

  constructor(options: LogFileOptions) {
    this.options = options;
  }

  async write(lines: readonly AuditLine[]): Promise<void> {
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    if (this.options.path === '-') return writeToOutput(bytes);
    const file = await this.fileFor(bytes.length);
    await file.appendFile(bytes);
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
  }

  private async fileFor(length: number): Promise<FileHandle> {
    const size = await this.followName();
    if (size > 0 && size + length > this.options.maxBytes) {
      await rename(this.options.path, this.backupName(new Date()));
      await this.followName();
      await this.removeOld();
    }
    return (this.file ??= await this.openFile());
  }

  /** Opens what has the name now, unless it is open. @returns its size */
  private async followName(): Promise<number> {
    const named = await statOf(this.options.path);
    if (named && this.file && named.ino === (await this.file.stat()).ino) return named.size;
    await this.close();
    this.file = await this.openFile();
    return (await this.file.stat()).size;
  }

  private async openFile(): Promise<FileHandle> {
    await mkdir(dirname(this.options.path), { recursive: true });
    return open(this.options.path, 'a', 0o600);
  }

  /** `audit-2026-01-02T03-04-05.678.log` */
  private backupName(now: Date): string {
    const { dir, name, ext } = parse(this.options.path);
    return join(dir, `${name}-${now.toISOString().slice(0, -1).replaceAll(':', '-')}${ext}`);
  }

  private async removeOld(): Promise<void> {
    const { path, maxAgeMs, maxBackups } = this.options;
    const { dir, name, ext } = parse(path);
    const isBackup = (file: string): boolean =>
      file.startsWith(`${name}-`) && file.endsWith(ext) && timeOf(file, name, ext) !== undefined;
    const backups = (await readdir(dir === '' ? '.' : dir)).filter(isBackup).sort().reverse();
    const now = Date.now();
    for (const [i, file] of backups.entries()) {
      const isOld = maxAgeMs > 0 && now - (timeOf(file, name, ext) ?? now) > maxAgeMs;
      const isSurplus = maxBackups > 0 && i >= maxBackups;
      if (isOld || isSurplus) await unlinkIfThere(join(dir, file));
    }
  }
}

/** When a backup was made, from its name; undefined: it is none. */
function timeOf(file: string, name: string, ext: string): number | undefined {
  const text = file.slice(name.length + 1, file.length - ext.length);
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(text);
  if (!match) return undefined;
  const [, day = '', hour = '', minute = '', second = ''] = match;
  return Date.parse(`${day}T${hour}:${minute}:${second}Z`);
}

function writeToOutput(bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

async function statOf(path: string): Promise<{ ino: number; size: number } | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Another process may have been faster. */
async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
