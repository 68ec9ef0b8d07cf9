/**
 * The files of the credentials, read again when they change: new certificates and tokens need no restart.
 *
 *   every second   changed? ──and still the same a second later──▶ read and checked ─▶ good: in use for what is new
 *                                                                                   └▶ faulty: a warning, the old stay
 *
 * Waiting for files to settle lets a certificate and its key be written one after the other. Files are looked at rather
 * than watched, for that works alike on every file system and through the links by which volumes are exchanged.
 */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { pause } from '../base/pause.ts';
import type { Logger } from '../observe/log.ts';
import type { CompletedConfig } from './complete.ts';
import { describeFault, type Fault } from './faults.ts';
import { FileCheck } from './file-check.ts';
import type { Credentials, Serving } from './serving.ts';

const lookMs = 1_000;

export interface CredentialWatch {
  /** In use now. */
  readonly credentials: Credentials;
  readonly logger: Logger;
  readonly serving: Pick<Serving, 'use' | 'fileReloads'>;
}

/** Watches until the result is called, which resolves when no look is under way any more. */
export function watchCredentials(config: CompletedConfig, watch: CredentialWatch): () => Promise<void> {
  const stopping = new AbortController();
  const watcher = new CredentialWatcher(sourcesOf(config), watch);
  const running = watcher.run(stopping.signal);
  return () => {
    stopping.abort();
    return running;
  };
}

/** Files that belong together, and how what they hold changes the credentials. */
interface Source {
  /** The flag that names them. */
  readonly flag: string;
  readonly files: readonly string[];
  readonly read: (check: FileCheck) => Promise<((old: Credentials) => Credentials) | undefined>;
}

/** Where no flag names a file, that of the data folder's PKI. */
function sourcesOf(config: CompletedConfig): Source[] {
  const inPki = (name: string): string => join(resolve(config.dataFolder), 'pki', name);
  const ownsPki = config.files.serving === undefined;
  const cert = config.tlsCertFile || inPki('server.crt');
  const key = config.tlsPrivateKeyFile || inPki('server.key');
  const clientCa = config.clientCaFile || (ownsPki ? inPki('ca.crt') : '');
  const sources = [servingSource(cert, key), clientCaSource(clientCa), tokenSource(config.tokenAuthFile)];
  return sources.filter(({ files }) => !files.includes(''));
}

function servingSource(certFile: string, keyFile: string): Source {
  return {
    flag: 'tls-cert-file',
    files: [certFile, keyFile],
    read: async (check) => {
      const pair = await check.pair(certFile, keyFile, '--tls-cert-file and --tls-private-key-file');
      if (pair === undefined) return undefined;
      const [cert, key] = [pair.cert.toString('utf8'), pair.key.toString('utf8')];
      return (old) => ({ ...old, tls: { ...old.tls, cert, key } });
    },
  };
}

function clientCaSource(file: string): Source {
  return {
    flag: 'client-ca-file',
    files: [file],
    read: async (check) => {
      const clientCa = (await check.authorities(file, '--client-ca-file'))?.toString('utf8');
      return clientCa === undefined ? undefined : (old) => ({ ...old, tls: { ...old.tls, clientCa } });
    },
  };
}

function tokenSource(file: string): Source {
  return {
    flag: 'token-auth-file',
    files: [file],
    read: async (check) => {
      const tokens = (await check.tokens(file))?.toString('utf8');
      return tokens === undefined ? undefined : (old) => ({ ...old, tokens });
    },
  };
}

/** What is known of a source: how its files looked when they were last seen, and when they were last read. */
interface Sight {
  seen: string;
  read: string;
}

class CredentialWatcher {
  private readonly sources: readonly (readonly [Source, Sight])[];
  private readonly watch: CredentialWatch;
  private current: Credentials;

  constructor(sources: readonly Source[], watch: CredentialWatch) {
    this.sources = sources.map((source) => [source, { seen: '', read: '' }]);
    this.watch = watch;
    this.current = watch.credentials;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const [source, sight] of this.sources) await this.look(source, sight);
      await pause(lookMs, signal);
    }
  }

  private async look(source: Source, sight: Sight): Promise<void> {
    const now = (await Promise.all(source.files.map(appearance))).join();
    const isSettled = now === sight.seen;
    sight.seen = now;
    if (!isSettled || now === sight.read) return;
    sight.read = now;
    const faults: Fault[] = [];
    const change = await source.read(new FileCheck(faults));
    if (change === undefined) this.refuse(source, faults);
    else this.apply(source, change(this.current));
  }

  private refuse({ flag }: Source, faults: readonly Fault[]): void {
    const { logger, serving } = this.watch;
    serving.fileReloads.cell({ flag, result: 'failure' }).add();
    logger.warn('changed files cannot be used, what they held before stays', {
      flag,
      problems: faults.map(describeFault),
    });
  }

  private apply({ flag }: Source, next: Credentials): void {
    const { logger, serving } = this.watch;
    if (isDeepStrictEqual(next, this.current)) return;
    this.current = next;
    serving.use(next);
    serving.fileReloads.cell({ flag, result: 'success' }).add();
    logger.info('changed files are in use', { flag });
  }
}

/** Changes whenever the file is written or replaced. */
async function appearance(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${String(ino)} ${String(size)} ${String(mtimeNs)}`;
  } catch {
    return 'none';
  }
}
