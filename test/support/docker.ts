/** Finds a Docker engine that tests may use, or starts a private one. */
import { request } from 'node:http';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { Child } from './child-process.ts';
import { findProgram } from './paths.ts';
import { makeTempFolder } from './temp-folder.ts';
import { waitFor } from './wait-for.ts';

export interface DockerEngine {
  /** As DOCKER_HOST wants it: `unix:///path`. */
  readonly host: string;
  /** Whose it is, for the log. */
  readonly description: string;
  /** Ends the engine if it was started here; containers must be gone before. */
  close(): Promise<void>;
}

const defaultSocket = '/var/run/docker.sock';

/**
 * The engine of this machine if one answers on DOCKER_HOST (Unix sockets only: members listen on loopback, so the
 * engine has to be here) or the default socket; else, for root where `dockerd` is on PATH, a private engine with
 * all its data in a temporary folder. Undefined when neither is possible. The caller closes what it gets.
 */
export async function findDockerEngine(): Promise<DockerEngine | undefined> {
  if (process.platform !== 'linux') return undefined;
  const socket = process.env['DOCKER_HOST']?.replace(/^unix:\/\//, '') ?? defaultSocket;
  if (socket.startsWith('/') && (await answers(socket))) {
    return { host: `unix://${socket}`, description: `engine at ${socket}`, close: () => Promise.resolve() };
  }
  const dockerd = findProgram('dockerd', ['/usr/sbin']);
  return dockerd !== undefined && process.getuid?.() === 0 ? startPrivateEngine(dockerd) : undefined;
}

/** Undefined when the machine does not let it run (a container without privileges, for example). */
async function startPrivateEngine(dockerd: string): Promise<DockerEngine | undefined> {
  const folder = await makeTempFolder('docker');
  const socket = join(folder.path, 'docker.sock');
  const child = await Child.start({
    name: 'dockerd',
    program: dockerd,
    args: engineArgs(folder.path, socket),
    parentDeathSignal: 'SIGTERM',
  });
  const close = async (): Promise<void> => {
    await child.stop(20_000);
    await folder.remove();
  };
  const isUp = await waitFor('dockerd', async () => (child.exit() ? 'ended' : (await answers(socket)) && 'up'), {
    timeout: 30_000,
  }).catch(() => 'late');
  if (isUp === 'up') return { host: `unix://${socket}`, description: 'private engine', close };
  process.stderr.write(`dockerd is installed but does not come up:\n${child.output().slice(-2000)}\n`);
  await close();
  return undefined;
}

/** No bridge and no rules for the firewall: containers use the host's network and talk over loopback alone. */
function engineArgs(folder: string, socket: string): string[] {
  return [
    `--data-root=${join(folder, 'data')}`,
    `--exec-root=${join(folder, 'exec')}`,
    `--pidfile=${join(folder, 'pid')}`,
    `--host=unix://${socket}`,
    '--bridge=none',
    '--iptables=false',
    '--ip6tables=false',
  ];
}

function answers(socketPath: string): Promise<boolean> {
  if (!existsSync(socketPath)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const outgoing = request({ socketPath, path: '/_ping', timeout: 2000 }, (response) => {
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
