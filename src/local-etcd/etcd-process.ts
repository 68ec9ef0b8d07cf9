/**
 * The process of the service's own etcd.
 *
 *   starting ──answers──▶ running ──ends by itself──▶ waiting ──pause over──▶ starting
 *      │                     │                           │
 *      └───── close() ───────┴───────────────────────────┴──▶ stopped
 *
 * Causes of an exit may be transient (a full disk, out of memory): it is restarted as long as the service runs, which
 * meanwhile serves from memory and is not ready. If another process has taken its port, it gets another one, which the
 * address file tells to clients.
 */
import { systemRandom } from '../base/random.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile, stat, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Backoff } from '../base/backoff.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../observe/log.ts';
import { StartError } from '../base/start-error.ts';
import { makeFolder } from '../base/make-folder.ts';
import { findEtcdBinary } from './etcd-binary.ts';
import {
  etcdArguments,
  etcdEnvironment,
  etcdUrl,
  guardScript,
  ownSocket,
  type EtcdPlan,
} from './etcd-command.ts';
import { refuseDatabaseInUse } from './database-in-use.ts';
import { etcdProblem } from './etcd-problem.ts';
import { freePort, isFree } from './loopback-port.ts';

const answerDeadlineMs = 30_000;
/** etcd ends within moments; one that is frozen or hangs is killed, which loses nothing that it has acknowledged. */
const stopDeadlineMs = 5_000;
const portAttempts = 3;
const restartPause = { firstMs: 100, maxMs: 30_000 };
/** The backoff is reset after etcd has run for this time. */
const steadyMs = 60_000;
const logLimitBytes = 16 * 1024 * 1024;

export interface LocalEtcdOptions {
  readonly dataFolder: string;
  readonly pkiFolder: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Has a folder `bin` with etcd, for a machine without one in PATH. */
  readonly programs: string;
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export class LocalEtcd {
  private plan: EtcdPlan;
  private readonly logger: Logger;
  private readonly closing = new AbortController();
  /** Offset of the output of the current process in the log. */
  private logStart = 0;
  private child: ChildProcess | undefined;
  private exit: Promise<Exit> = Promise.resolve({ code: 0, signal: null });
  private supervision: Promise<void> = Promise.resolve();

  private constructor(plan: EtcdPlan, logger: Logger) {
    this.plan = plan;
    this.logger = logger;
  }

  /**
   * Starts etcd and waits until it is ready.
   * @throws StartError `ETCD_MISSING`, `ETCD_UNREACHABLE`, `DATA_FOLDER_IN_USE`; no process is left running then
   */
  static async start(options: LocalEtcdOptions): Promise<LocalEtcd> {
    const binary = await findEtcdBinary(options.programs);
    await makeFolder(join(options.dataFolder, 'etcd'));
    await refuseDatabaseInUse(options.dataFolder, options.signal);
    for (let attempt = 1; ; attempt++) {
      const etcd = new LocalEtcd({ ...options, binary, port: await freePort() }, options.logger);
      const isUp = await etcd.launch(options.signal);
      if (isUp) {
        etcd.supervision = etcd.supervise();
        return etcd;
      }
      const error = await etcd.unreachable();
      await etcd.close();
      options.signal.throwIfAborted();
      if (attempt === portAttempts || !/address already in use/.test(error.message)) throw error;
    }
  }

  get endpoint(): string {
    return etcdUrl(this.plan.port);
  }

  /** Has the endpoint of the present process: clients read it before they connect. */
  get addressFile(): string {
    return join(this.plan.dataFolder, 'etcd-address');
  }

  /** Stops etcd and waits for its exit; idempotent. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.stopChild();
    await this.supervision;
  }

  /** Starts the process once; returns true if it becomes ready in time. */
  private async launch(signal: AbortSignal): Promise<boolean> {
    const { binary, dataFolder } = this.plan;
    await rm(join(dataFolder, ownSocket), { force: true });
    await this.tellAddress();
    const log = await openLog(dataFolder);
    try {
      this.logStart = (await log.stat()).size;
      // A separate session, so that Ctrl-C in the terminal reaches only the service, which stops etcd last.
      this.child = spawn('/bin/sh', ['-c', guardScript, 'sh', binary, ...etcdArguments(this.plan)], {
        cwd: dataFolder,
        detached: true,
        env: etcdEnvironment(process.env),
        stdio: ['pipe', log.fd, log.fd],
      });
      this.exit = exitOf(this.child);
    } finally {
      await log.close();
    }
    return this.answersInTime(AbortSignal.any([signal, this.closing.signal]));
  }

  /** The file is complete at every moment. */
  private async tellAddress(): Promise<void> {
    const temporary = `${this.addressFile}.new`;
    await writeFile(temporary, `${this.endpoint}\n`, { mode: 0o600 });
    await rename(temporary, this.addressFile);
  }

  private async answersInTime(signal: AbortSignal): Promise<boolean> {
    const ended = new AbortController();
    void this.exit.then(() => {
      ended.abort();
    });
    const until = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(answerDeadlineMs)]);
    const tls = await readTls(this.plan.pkiFolder);
    while (!until.aborted) {
      if (await answers(this.endpoint, tls)) return true;
      await pause(10, undefined, { signal: until }).catch(() => undefined);
    }
    return false;
  }

  private async supervise(): Promise<void> {
    const { signal } = this.closing;
    const backoff = new Backoff(restartPause, systemRandom);
    for (let startedAt = performance.now(); ;) {
      await this.exit;
      if (hasEnded(signal)) return;
      if (performance.now() - startedAt > steadyMs) backoff.reset();
      const pauseMs = Math.round(backoff.nextMs());
      this.logger.error('etcd exited unexpectedly', { ...(await this.lastExit()), pauseMs });
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
      if (hasEnded(signal)) return;
      startedAt = performance.now();
      await this.launchAgain();
    }
  }

  /** A failed start is logged and handled as an exit. */
  private async launchAgain(): Promise<void> {
    try {
      await this.leaveTakenPort();
      if (await this.launch(this.closing.signal)) this.logger.warn('etcd is running again');
      else await this.stopChild();
    } catch (error) {
      this.logger.error('etcd cannot be started', { err: error });
    }
  }

  private async leaveTakenPort(): Promise<void> {
    const { port } = this.plan;
    if (await isFree(port)) return;
    this.plan = { ...this.plan, port: await freePort() };
    this.logger.warn('another process has taken the port of etcd', { port, endpoint: this.endpoint });
  }

  private async lastExit(): Promise<Exit & { readonly log: string; readonly problem: string }> {
    const log = logPath(this.plan.dataFolder);
    return { ...(await this.exit), log, problem: await etcdProblem(log, this.logStart).catch(messageOf) };
  }

  /** Closing standard input stops etcd (see `guardScript`). */
  private async stopChild(): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    child.stdin?.end();
    const timer = setTimeout(() => {
      this.logger.warn('etcd does not stop, and is killed', { seconds: stopDeadlineMs / 1_000 });
      killGroup(child);
    }, stopDeadlineMs);
    await this.exit;
    clearTimeout(timer);
  }

  /** The error of a failed start. */
  private async unreachable(): Promise<StartError> {
    const { dataFolder } = this.plan;
    const hasExited = this.child?.exitCode !== null;
    const end = hasExited
      ? `ended with code ${String(this.child?.exitCode)}`
      : 'serves no writes within 30 s';
    const log = logPath(dataFolder);
    return StartError.of(
      'ETCD_UNREACHABLE',
      `the service's own etcd does not come up at ${this.endpoint} (${end}: ${await etcdProblem(log, this.logStart)})`,
      `see ${log}; if the data in ${join(dataFolder, 'etcd')} is damaged or that of another etcd, restore a backup or choose another --data-dir`,
    );
  }
}

function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}

function logPath(dataFolder: string): string {
  return join(dataFolder, 'etcd.log');
}

const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK } = constants;

/** Opens the log for appending; a large one is renamed first. A named pipe without a reader is an error, and not waited for. */
async function openLog(dataFolder: string): Promise<FileHandle> {
  const path = logPath(dataFolder);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > logLimitBytes) await rename(path, `${path}.1`);
  return open(path, O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK, 0o600);
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
    child.once('error', () => {
      resolve({ code: null, signal: null });
    });
    // The guard may exit before it reads the end of its input.
    child.stdin?.on('error', () => undefined);
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

interface ClientTls {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

async function readTls(pkiFolder: string): Promise<ClientTls> {
  const [ca, cert, key] = await Promise.all(
    ['etcd-ca.crt', 'etcd.crt', 'etcd.key'].map((name) => readFile(join(pkiFolder, name))),
  );
  const none = Buffer.alloc(0);
  return { ca: ca ?? none, cert: cert ?? none, key: key ?? none };
}

/** Longer than the write timeout of etcd itself. */
const writeDeadlineMs = 8_000;
/** No key begins with this byte; deleting a missing key changes nothing. */
const probeKey = Buffer.from('\0').toString('base64');

/**
 * Whether the member is ready: it has a leader, its disk works, and it executes writes. With a truncated WAL, health
 * is ok, but etcd skips every write with a lost index.
 */
async function answers(endpoint: string, tls: ClientTls): Promise<boolean> {
  return (
    (await isOk(`${endpoint}/health`, { ...tls, timeout: 1_000 })) &&
    isOk(
      `${endpoint}/v3/kv/deleterange`,
      { ...tls, timeout: writeDeadlineMs, method: 'POST' },
      { key: probeKey },
    )
  );
}

function isOk(url: string, options: RequestOptions, body?: object): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request(url, { ...options, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => {
      resolve(false);
    });
    outgoing.end(body && JSON.stringify(body));
  });
}
