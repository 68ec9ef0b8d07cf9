/**
 * A private etcd: its sockets are files in a folder that only its owner can access. It ends with this process, even
 * if that is killed.
 */
import { systemEnvironment } from '../base/environment.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import { aborted } from '../base/pause.ts';
import { EtcdClient } from '../storage/etcd/client.ts';
import { defaultTimes } from '../storage/options.ts';
import { etcdEnvironment, guardScript } from '../local-etcd/etcd-command.ts';
import { runTool, ToolError, type EtcdTools } from './etcd-tools.ts';

const clientSocket = 'etcd-client:0';
const peerUrl = 'unix://etcd-peer:0';
const memberName = 'restore';
/** Loading a large database takes minutes. */
const startDeadlineMs = 10 * 60_000;
const callMs = 60_000;
/** Of Linux (108 with the zero at its end) and others. */
const longestSocketPath = 103;

/** Arguments of `snapshot restore` for such a member. */
export const privateIdentity = {
  name: memberName,
  initialCluster: `${memberName}=${peerUrl}`,
  initialClusterToken: memberName,
  initialAdvertisePeerUrls: peerUrl,
};

export interface PrivateMemberOptions {
  readonly tools: EtcdTools;
  readonly dataDir: string;
  readonly signal: AbortSignal;
}

export class PrivateMember implements AsyncDisposable {
  readonly client: EtcdClient;
  readonly #options: PrivateMemberOptions;
  readonly #sockets: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  private constructor(options: PrivateMemberOptions, sockets: string, child: ChildProcess) {
    this.#options = options;
    this.#sockets = sockets;
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    child.stdin?.on('error', () => undefined);
    this.client = clientAt(join(sockets, clientSocket));
  }

  /**
   * Starts etcd on the data directory and waits until it is ready.
   * @throws ToolError with the last error of etcd
   */
  static async start(options: PrivateMemberOptions): Promise<PrivateMember> {
    const sockets = await makeSocketFolder();
    const member = new PrivateMember(options, sockets, await launch(options, sockets));
    try {
      await member.#answer();
      return member;
    } catch (error) {
      const why = await member.#lastWords();
      await member[Symbol.asyncDispose]();
      throw new ToolError(`etcd does not start on ${options.dataDir}: ${why}`, { cause: error });
    }
  }

  /**
   * Runs etcdctl against it and returns its output.
   * @throws ToolError
   */
  etcdctl(...args: readonly string[]): Promise<string> {
    const { tools, signal } = this.#options;
    const words = [`--endpoints=unix://${clientSocket}`, '--command-timeout=1h', ...args];
    return runTool(tools.etcdctl, words, { signal, cwd: this.#sockets });
  }

  /** Stops etcd and waits until its data is complete on disk. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    this.#child.stdin?.end();
    await this.#exited;
    await rm(this.#sockets, { recursive: true, force: true });
  }

  async #answer(): Promise<void> {
    const ended = Promise.withResolvers<never>();
    void this.#exited.then(() => ended.reject(new Error('it ended')));
    ended.promise.catch(() => undefined);
    const probe = this.client.range(
      { key: Buffer.from('\0'), count_only: true },
      { operation: 'probe', timeoutMs: startDeadlineMs },
    );
    probe.catch(() => undefined);
    const calledOff = aborted(this.#options.signal).then(() => this.#options.signal.throwIfAborted());
    await Promise.race([probe, ended.promise, calledOff]);
  }

  async #lastWords(): Promise<string> {
    const text = await readFile(logIn(this.#sockets), 'utf8').catch(() => '');
    const complaint = text.split('\n').findLast((line) => /"level":"(fatal|error|panic)"|^panic/.test(line));
    return (complaint ?? 'it says nothing').slice(0, 400);
  }
}

/**
 * A folder for the sockets: the length of their paths is limited, data directories may have long ones, and so may
 * TMPDIR, which may also name no folder.
 */
async function makeSocketFolder(): Promise<string> {
  const places = [tmpdir(), '/tmp'].map((folder) => join(folder, 'orch-restore-'));
  const short = places.filter((place) => join(`${place}123456`, clientSocket).length <= longestSocketPath);
  let failure: unknown;
  for (const place of short) {
    try {
      return await mkdtemp(place);
    } catch (error) {
      failure = error;
    }
  }
  throw new ToolError(`no folder for sockets: ${messageOf(failure)}; set TMPDIR to one`, { cause: failure });
}

/**
 * Removes the folder, where it runs, when standard input closes: a process that is killed removes none. Signals that end no etcd end
 * it no more than the guard, which follows.
 */
const tidyScript = `
exec 4<&0
( trap '' USR1 USR2 ALRM VTALRM PROF XCPU PIPE
  exec /bin/sh -c 'read -r _; rm -rf -- "$1"' sh "$PWD" <&4 4<&- >/dev/null 2>&1 ) &
exec 4<&-
${guardScript}`;

async function launch(options: PrivateMemberOptions, sockets: string): Promise<ChildProcess> {
  const log = await open(logIn(sockets), 'a', 0o600);
  const words = memberArguments(options.dataDir);
  try {
    return spawn('/bin/sh', ['-c', tidyScript, 'sh', options.tools.etcd, ...words], {
      cwd: sockets,
      detached: true,
      env: etcdEnvironment(process.env),
      stdio: ['pipe', log.fd, log.fd],
    });
  } finally {
    await log.close();
  }
}

/** Without a quota: rewriting every key doubles the database until it is compacted. */
function memberArguments(dataDir: string): string[] {
  return [
    `--name=${memberName}`,
    `--data-dir=${dataDir}`,
    `--listen-client-urls=unix://${clientSocket}`,
    `--advertise-client-urls=unix://${clientSocket}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=${privateIdentity.initialCluster}`,
    '--heartbeat-interval=10',
    '--election-timeout=100',
    '--max-request-bytes=67108864',
    '--quota-backend-bytes=-1',
    '--logger=zap',
  ];
}

function logIn(folder: string): string {
  return join(folder, 'etcd.log');
}

function clientAt(path: string): EtcdClient {
  const options = {
    endpoints: [`unix://localhost${encodeURI(path)}`],
    logger: silent,
    metrics: { observeEtcdRequest: () => undefined },
  };
  const times = { ...defaultTimes, attempt: callMs, operation: callMs };
  return new EtcdClient({ options, times, ...systemEnvironment });
}

const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
function nothing(): void {
  // The caller reports the error.
}
