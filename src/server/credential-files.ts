/**
 * Reloads credential files when they change: new certificates and tokens need no restart.
 *
 *   every second   changed? ──and unchanged a second later──▶ read and checked ─▶ valid: used from now on
 *                                                                                   └▶ invalid: a warning, the previous contents stay in use,
 *                                                                                      and they are read again, at last once a minute
 *
 * They are read again without a change of theirs because what makes them valid may lie elsewhere: a file that a new
 * configuration names and that comes after it, another file that they have to agree with, or the time.
 *
 * The delay allows a certificate and its key to be written in sequence. Files are polled instead of watched, which
 * works on every file system and with the symbolic links of mounted volumes.
 */
import { Backoff } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { pause } from '../base/pause.ts';
import { systemRandom } from '../base/random.ts';
import { readRegularFile } from '../base/regular-file.ts';
import type { Logger } from '../observe/log.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import { describeStartError, startErrorDetails, type StartErrorDetail } from '../base/start-error.ts';
import { FileCheck } from '../options/file-check.ts';
import { sourcesOf, type CredentialSource } from '../options/credential-sources.ts';
import type { Credentials } from '../options/credentials.ts';
import type { Serving } from '../workers/serving.ts';

const lookMs = 1_000;
/** After a refusal. */
const nextReading = { firstMs: 5_000, maxMs: 60_000 };

export interface CredentialWatch {
  /** The credentials in use. */
  readonly credentials: Credentials;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly serving: Pick<Serving, 'use' | 'fileReloads'>;
}

/** Polls until the returned function is called, which resolves when no check is in progress. */
export function watchCredentials(config: CompletedConfig, watch: CredentialWatch): () => Promise<void> {
  const stopping = new AbortController();
  const watcher = new CredentialWatcher(sourcesOf(config), watch);
  const running = watcher.run(stopping.signal);
  return () => {
    stopping.abort();
    return running;
  };
}

/** State of a source: the fingerprint of its files at the last check and at the last read. */
interface SeenFiles {
  seen: string;
  read: string;
  /** Since when, by the monotonic clock, they are to be read again though they are the same; undefined if they were valid. */
  againAt: number | undefined;
  readonly backoff: Backoff;
}

/** Looks at sources one after the other. */
export class CredentialWatcher {
  private readonly sources: readonly (readonly [CredentialSource, SeenFiles])[];
  private readonly watch: CredentialWatch;
  private current: Credentials;

  constructor(sources: readonly CredentialSource[], watch: CredentialWatch) {
    this.sources = sources.map((source) => {
      const backoff = new Backoff(nextReading, systemRandom);
      return [source, { seen: '', read: '', againAt: undefined, backoff }];
    });
    this.watch = watch;
    this.current = watch.credentials;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const [source] of this.sources) await this.tellContents(source);
    while (!signal.aborted) {
      for (const [source, seenFiles] of this.sources) await this.look(source, seenFiles);
      await pause(this.watch.clock, lookMs, signal);
    }
  }

  private async look(source: CredentialSource, seenFiles: SeenFiles): Promise<void> {
    const now = await this.appearanceOf(source);
    const isSettled = now === seenFiles.seen;
    seenFiles.seen = now;
    if (!isSettled || (now === seenFiles.read && !this.isDue(seenFiles))) return;
    if (now !== seenFiles.read) seenFiles.backoff.reset();
    seenFiles.read = now;
    const errors: StartErrorDetail[] = [];
    try {
      const next = await source.read(new FileCheck(errors), this.current);
      // Half of a file that was being written may look whole: it is read again once it is settled.
      if ((await this.appearanceOf(source)) !== now) {
        seenFiles.read = '';
        return;
      }
      if (next === undefined || errors.length > 0) this.refuse(source, seenFiles, errors);
      else if (this.apply(source, seenFiles, next)) await this.tellContents(source);
    } catch (error) {
      // Whatever a file may hold, the others are still looked at.
      this.refuse(source, seenFiles, startErrorDetails(error));
    }
  }

  private async appearanceOf({ files }: CredentialSource): Promise<string> {
    return (await Promise.all(files(this.current).map(appearance))).join();
  }

  private isDue({ againAt }: SeenFiles): boolean {
    return againAt !== undefined && this.watch.clock.monotonic() >= againAt;
  }

  private refuse(
    { flag }: CredentialSource,
    seenFiles: SeenFiles,
    errors: readonly StartErrorDetail[],
  ): void {
    const { logger, serving, clock } = this.watch;
    seenFiles.againAt = clock.monotonic() + seenFiles.backoff.nextMs();
    serving.fileReloads.note(flag, 'failure', clock.now());
    logger.warn('changed files are invalid; the previous contents stay in use', {
      flag,
      problems: errors.map(describeStartError),
    });
  }

  /** @returns false for what is in use already; where it was refused meanwhile, that is told, too */
  private apply({ flag }: CredentialSource, seenFiles: SeenFiles, next: Credentials): boolean {
    const { logger, serving, clock } = this.watch;
    const wasRefused = seenFiles.againAt !== undefined;
    seenFiles.againAt = undefined;
    const isNew = !isDeepStrictEqual(next, this.current);
    if (!isNew && !wasRefused) return false;
    if (isNew) {
      this.current = next;
      serving.use(next);
    }
    serving.fileReloads.note(flag, 'success', clock.now());
    logger.info('changed files are in use', { flag });
    return true;
  }

  /** What metrics tell of a configuration is of no use where it cannot be read. */
  private async tellContents({ flag, configuration }: CredentialSource): Promise<void> {
    if (configuration === undefined) return;
    const contents = await readRegularFile(configuration).catch(() => undefined);
    if (contents) this.watch.serving.fileReloads.use(flag, contents);
  }
}

/** Changes whenever the file is written, replaced, or made readable; a copy may keep its size and its time of writing. */
async function appearance(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return 'none';
  }
}
