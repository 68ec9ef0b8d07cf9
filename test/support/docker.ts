/** Finds a Docker engine that tests may use, or starts a private one. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Child } from './child-process.ts';
import { findProgram } from './paths.ts';
import { waitFor } from './wait-for.ts';

export interface DockerEngine {
  /** As DOCKER_HOST wants it: `unix:///path`. */
  readonly host: string;
  /** Whose it is, for the log. */
  readonly description: string;
  /** Gives it back; a private engine ends with its last user. Containers must be gone before. */
  close(): Promise<void>;
}

const run = promisify(execFile);
const defaultSocket = '/var/run/docker.sock';

/** One folder for all private engines of this process in turn: testcontainers remembers the socket of the first. */
const privateFolder = join(tmpdir(), `orch-docker-${randomUUID().slice(0, 8)}`);

/** The private engine while it has users; a promise, so that users who come at once share one start. */
let shared: { readonly engine: Promise<PrivateEngine | undefined>; users: number } | undefined;

/** The end of the one before, for both use the same folder. */
let stopping: Promise<void> | undefined;

interface PrivateEngine {
  readonly host: string;
  stop(): Promise<void>;
}

/**
 * The engine of this machine if one answers on DOCKER_HOST (Unix sockets only: members listen on loopback, so the
 * engine has to be here) or the default socket; else, for root where `dockerd` is on PATH, a private engine with
 * all its data in a temporary folder. Undefined when neither is possible. The caller closes what it gets.
 */
export async function findDockerEngine(): Promise<DockerEngine | undefined> {
  if (process.platform !== 'linux') return undefined;
  const configured = process.env['DOCKER_HOST']?.replace(/^unix:\/\//, '');
  const socket =
    configured === undefined || configured.startsWith(privateFolder) ? defaultSocket : configured;
  if (socket.startsWith('/') && (await answers(socket))) {
    return { host: `unix://${socket}`, description: `engine at ${socket}`, close: () => Promise.resolve() };
  }
  const dockerd = findProgram('dockerd', ['/usr/sbin']);
  const mayRun = dockerd !== undefined && process.getuid?.() === 0 && (await isRootMounted());
  return mayRun ? usePrivateEngine(dockerd) : undefined;
}

/** In a chroot, whose root is no mount, an engine starts but cannot unpack an image. */
async function isRootMounted(): Promise<boolean> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8');
  return mounts.split('\n').some((line) => line.split(' ')[4] === '/');
}

async function usePrivateEngine(dockerd: string): Promise<DockerEngine | undefined> {
  shared ??= { engine: startPrivateEngine(dockerd), users: 0 };
  const own = shared;
  own.users += 1;
  const engine = await own.engine;
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    own.users -= 1;
    if (own.users > 0) return;
    shared = undefined;
    stopping = engine?.stop();
    await stopping;
  };
  if (engine !== undefined) return { host: engine.host, description: 'private engine', close };
  await close();
  return undefined;
}

/** Undefined when the machine does not let it run (a container without privileges, for example). */
async function startPrivateEngine(dockerd: string): Promise<PrivateEngine | undefined> {
  await stopping;
  await mkdir(privateFolder, { recursive: true });
  const socket = join(privateFolder, 'docker.sock');
  const child = await Child.start({
    name: 'dockerd',
    program: dockerd,
    args: engineArgs(privateFolder, socket),
    parentDeathSignal: 'SIGTERM',
  });
  const stop = async (): Promise<void> => {
    await child.stop(20_000);
    await unmountBelow(privateFolder);
    await rm(privateFolder, { recursive: true, force: true });
  };
  const look = async (): Promise<string | false> =>
    child.exit() ? 'ended' : (await answers(socket)) && 'up';
  const state = await waitFor('dockerd', look, { timeout: 30_000 }).catch(() => 'late');
  if (state === 'up') return { host: `unix://${socket}`, stop };
  process.stderr.write(`dockerd is installed but does not come up:\n${child.output().slice(-2000)}\n`);
  await stop();
  return undefined;
}

/**
 * No bridge, no rules for the firewall, and no routing for others: containers use the host's network and talk over loopback alone, or
 * a test makes a network of its own, whose ports are mapped by a proxy of the engine.
 */
function engineArgs(folder: string, socket: string): string[] {
  return [
    `--data-root=${join(folder, 'data')}`,
    `--exec-root=${join(folder, 'exec')}`,
    `--pidfile=${join(folder, 'pid')}`,
    `--host=unix://${socket}`,
    '--bridge=none',
    '--iptables=false',
    '--ip6tables=false',
    '--ip-forward=false',
  ];
}

/** The engine leaves the network namespace that containers shared mounted in its folder. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  const points = mounts.split('\n').map((line) => line.split(' ')[1] ?? '');
  for (const point of points.filter((path) => path.startsWith(`${folder}/`)).reverse()) {
    await run('umount', [point]);
  }
}

function answers(socketPath: string): Promise<boolean> {
  if (!existsSync(socketPath)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const outgoing = request({ socketPath, path: '/_ping', timeout: 2000, agent: false }, (response) => {
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
