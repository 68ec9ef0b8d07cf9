/**
 * The etcd that a replica runs for itself.
 *
 *   starting ──answers──▶ running ──ends by itself──▶ waiting ──pause over──▶ starting
 *      │                     │                           │
 *      └───── close() ───────┴───────────────────────────┤ more than `restarts` times in `restartWindowMs`
 *                            ▼                           ▼
 *                         stopped                      failed (`failed` resolves)
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile, stat, rename, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../observe/log.ts';
import { StartError, type Fault } from '../faults.ts';
import { makeFolder } from '../make-folder.ts';
import { findEtcdBinary } from './etcd-binary.ts';
import {
  etcdArguments,
  etcdEnvironment,
  etcdUrl,
  guardScript,
  ownSocket,
  type EtcdPlan,
} from './etcd-command.ts';

const answerDeadlineMs = 30_000;
const stopDeadlineMs = 10_000;
const portAttempts = 3;
const restarts = 5;
const restartWindowMs = 60_000;
const firstPauseMs = 100;
const logLimitBytes = 16 * 1024 * 1024;

export interface LocalEtcdOptions {
  readonly dataFolder: string;
  readonly pkiFolder: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export class LocalEtcd {
  /** Resolves when etcd has ended too often; never when it is closed. */
  readonly failed: Promise<Fault>;
  private readonly plan: EtcdPlan;
  private readonly logger: Logger;
  private readonly closing = new AbortController();
  private fail: (fault: Fault) => void = () => undefined;
  private child: ChildProcess | undefined;
  private exit: Promise<Exit> = Promise.resolve({ code: 0, signal: null });
  private supervision: Promise<void> = Promise.resolve();

  private constructor(plan: EtcdPlan, logger: Logger) {
    this.plan = plan;
    this.logger = logger;
    this.failed = new Promise((resolve) => (this.fail = resolve));
  }

  /**
   * Starts etcd and waits until it answers.
   * @throws StartError `ETCD_MISSING`, `ETCD_UNREACHABLE`; then nothing is left running
   */
  static async start(options: LocalEtcdOptions): Promise<LocalEtcd> {
    const binary = await findEtcdBinary(options.dataFolder);
    await makeFolder(join(options.dataFolder, 'etcd'));
    for (let attempt = 1; ; attempt++) {
      const etcd = new LocalEtcd({ ...options, binary, port: await freePort() }, options.logger);
      const isUp = await etcd.launch(options.signal);
      if (isUp) {
        etcd.supervision = etcd.supervise();
        return etcd;
      }
      await etcd.close();
      options.signal.throwIfAborted();
      if (attempt === portAttempts) throw await etcd.unreachable();
    }
  }

  get endpoint(): string {
    return etcdUrl(this.plan.port);
  }

  /** Stops etcd and waits until it is gone; idempotent. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.stopChild();
    await this.supervision;
  }

  /** Starts the process once; true when it answers in time. */
  private async launch(signal: AbortSignal): Promise<boolean> {
    const { binary, dataFolder } = this.plan;
    await rm(join(dataFolder, ownSocket), { force: true });
    const log = await openLog(dataFolder);
    try {
      // Its own session, so that a Ctrl-C in the terminal reaches only the service, which stops etcd last.
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
    const isClosing = (): boolean => signal.aborted;
    let ends: number[] = [];
    for (;;) {
      const { code, signal: exitSignal } = await this.exit;
      if (isClosing()) return;
      ends = [...ends, performance.now()].filter((at) => at > performance.now() - restartWindowMs);
      this.logger.error('etcd ended unexpectedly', {
        code,
        signal: exitSignal,
        log: logPath(this.plan.dataFolder),
      });
      if (ends.length > restarts) {
        this.fail(this.stoppedFault(code));
        return;
      }
      await pause(firstPauseMs * 2 ** (ends.length - 1), undefined, { signal }).catch(() => undefined);
      if (isClosing()) return;
      const isUp = await this.launch(signal);
      if (isUp) this.logger.warn('etcd runs again', { restarts: ends.length });
      else await this.stopChild();
    }
  }

  /** End of input is the order to stop (see `guardScript`). */
  private async stopChild(): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    child.stdin?.end();
    const timer = setTimeout(() => {
      killGroup(child);
    }, stopDeadlineMs);
    await this.exit;
    clearTimeout(timer);
  }

  private stoppedFault(code: number | null): Fault {
    return {
      code: 'ETCD_STOPPED',
      cause: `etcd ended ${String(restarts + 1)} times within a minute, last with code ${String(code)}`,
      remedy: `see ${logPath(this.plan.dataFolder)}`,
    };
  }

  private async unreachable(): Promise<StartError> {
    const log = logPath(this.plan.dataFolder);
    const { code } = await this.exit;
    return StartError.of(
      'ETCD_UNREACHABLE',
      `the service's own etcd does not come up at ${this.endpoint} (ended with code ${String(code)})`,
      `see ${log}: ${lastProblem(await readFile(log, 'utf8'))}`,
    );
  }
}

/** What etcd wrote last that is a complaint. */
function lastProblem(log: string): string {
  const complaints = log
    .split('\n')
    .filter((line) => /"level":"(fatal|error|panic)"|^panic|cannot|error/i.test(line));
  return (complaints.at(-1) ?? 'it holds no complaint').slice(0, 400);
}

function logPath(dataFolder: string): string {
  return join(dataFolder, 'etcd.log');
}

/** Appends to the log; one that has grown large is set aside once. */
async function openLog(dataFolder: string): ReturnType<typeof open> {
  const path = logPath(dataFolder);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > logLimitBytes) await rename(path, `${path}.1`);
  return open(path, 'a', 0o600);
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
    child.once('error', () => {
      resolve({ code: null, signal: null });
    });
    // The guard may be gone before it reads the end of its input.
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

/** True when the member serves: it has a leader and its disk works. */
function answers(endpoint: string, tls: ClientTls): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request(`${endpoint}/health`, { ...tls, agent: false, timeout: 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => {
      resolve(false);
    });
    outgoing.end();
  });
}

/** A port that was free a moment ago; if it is taken before etcd binds it, the start is tried again. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}
