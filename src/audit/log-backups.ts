/**
 * Rotated audit log files: their names, their removal by age and number, and their compression once no process writes
 * to them.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, stat, unlink } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { pause } from '../base/pause.ts';
import { removeUnfinished } from '../base/unfinished-files.ts';

export interface BackupOptions {
  readonly clock: Clock;
  /** Of the file that is written. */
  readonly path: string;
  /** Older backups are removed; 0: however old they are. */
  readonly maxAgeMs: number;
  /** More backups are removed; 0: however many there are. */
  readonly maxBackups: number;
  /** Backups are compressed (gzip). */
  readonly compresses: boolean;
}

const dayMs = 24 * 60 * 60 * 1_000;
/** Of `maxAgeMs`, for flags in days. */
export const daysInMs = (days: number): number => days * dayMs;

/** Other processes may be about to write the last lines of a file that has just been taken from them. */
const settleMs = 1_000;

interface Backup {
  readonly path: string;
  readonly at: number;
}

export class LogBackups {
  private readonly options: BackupOptions;
  private readonly closing = new AbortController();
  private tidying: Promise<void> | undefined;
  private isWanted = false;

  constructor(options: BackupOptions) {
    this.options = options;
  }

  /** `audit-2026-01-02T03-04-05.678.log`, which nothing has yet. */
  async freeName(): Promise<string> {
    const { dir, name, ext } = parse(this.options.path);
    for (let at = this.options.clock.now(); ; at++) {
      const path = join(dir, `${name}-${new Date(at).toISOString().slice(0, -1).replaceAll(':', '-')}${ext}`);
      if (!(await exists(path)) && !(await exists(`${path}.gz`))) return path;
    }
  }

  /** Removes what is old or too much, and compresses the rest, in a while and beside everything else. */
  tidy(): void {
    this.isWanted = true;
    this.tidying ??= this.run().finally(() => {
      this.tidying = undefined;
    });
  }

  /** Work that is not started yet is left to the next start. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.tidying;
  }

  private async run(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      // What cannot be tidied now, for want of space or rights, is left to the next time.
      await this.removeOld().catch(() => undefined);
      if (!this.options.compresses) continue;
      await pause(this.options.clock, settleMs, this.closing.signal);
      if (!this.closing.signal.aborted) await this.compressAll().catch(() => undefined);
    }
  }

  private async removeOld(): Promise<void> {
    const { maxAgeMs, maxBackups } = this.options;
    for (const [i, { path, at }] of (await this.list()).entries()) {
      const isOld = maxAgeMs > 0 && at < this.options.clock.now() - maxAgeMs;
      const isSurplus = maxBackups > 0 && i >= maxBackups;
      if (isOld || isSurplus) await unlinkIfThere(path);
    }
  }

  private async compressAll(): Promise<void> {
    const { dir, name } = parse(this.options.path);
    // Of backups that another process was compressing when it was killed.
    const isPartial = (file: string): boolean => file.startsWith(`${name}-`) && file.endsWith('.partial');
    await removeUnfinished(dir || '.', isPartial, this.options.clock.now());
    for (const { path } of await this.list()) {
      if (this.closing.signal.aborted) return;
      if (!path.endsWith('.gz')) await compress(path);
    }
  }

  /** The newest first. */
  private async list(): Promise<Backup[]> {
    const { dir, name, ext } = parse(this.options.path);
    const all = (await readdir(dir || '.')).map((file) => ({
      path: join(dir, file),
      at: file.startsWith(`${name}-`) ? timeOf(file.slice(name.length + 1), ext) : undefined,
    }));
    return all.filter((backup): backup is Backup => backup.at !== undefined).sort((a, b) => b.at - a.at);
  }
}

/** When a backup was made, from the rest of its name; undefined: it is none. */
function timeOf(rest: string, ext: string): number | undefined {
  const plain = rest.replace(/\.gz$/, '');
  const text = plain.endsWith(ext) ? plain.slice(0, plain.length - ext.length) : '';
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(text);
  if (!match) return undefined;
  const [, day = '', hour = '', minute = '', second = ''] = match;
  return Date.parse(`${day}T${hour}:${minute}:${second}Z`);
}

/** Another process may do the same: the content is the same, too. A file that still grew stays as it is. */
async function compress(path: string): Promise<void> {
  const partial = `${path}.${String(process.pid)}.partial`;
  try {
    const before = await stat(path);
    await pipeline(
      createReadStream(path),
      createGzip(),
      createWriteStream(partial, { mode: before.mode & 0o777 }),
    );
    if ((await stat(path)).size !== before.size) throw new Error('the file still grows');
    await rename(partial, `${path}.gz`);
    await unlinkIfThere(path);
  } catch (error) {
    await unlinkIfThere(partial);
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Another process may have been faster. */
export async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
