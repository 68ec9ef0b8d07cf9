/**
 * A program that does the same many times, and says after each part of it what the process still holds. All runs in one
 * thread, the clients and the service, so that nothing escapes the count. Needs --expose-gc. Arguments: what to do, how often in a part.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ControlPlane } from '../../../../src/testing/control-plane.ts';
import { Host } from '../../../../src/testing/host/host.ts';
import type { StartOrder } from '../../../../src/testing/host/protocol.ts';
import type { HostThread } from '../../../../src/testing/host-thread.ts';
import { flagsOf } from '../../../../src/testing/options.ts';
import { Users } from '../../../../src/testing/users.ts';

/** What is held after a part. */
export interface Held {
  readonly heapBytes: number;
  readonly files: number;
  readonly listeners: number;
  /** Timers, sockets, servers …, by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

/** The first one fills caches and pools. */
const parts = 5;

const host = new Host();
const methods = host as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
const inThisThread = {
  call: async (name: string, ...args: readonly unknown[]) => methods[name]?.(...args),
} as unknown as HostThread;

async function start(): Promise<ControlPlane> {
  const pki = await host.authorities();
  const order: Omit<StartOrder, 'tokens'> = {
    engine: { kind: 'memory' },
    flags: flagsOf({}),
    pki: { ca: pki.ca.certificate, server: pki.server, tokenKey: pki.tokenKey },
    hasVirtualClock: false,
    printsLog: false,
  };
  const started = await host.start({ ...order, tokens: [] });
  const advertised = { address: undefined, port: undefined };
  const users = new Users();
  const about = { host: inThisThread, pki, users, order, started, advertised, attachesLog: true, seed: 1 };
  const controlPlane = new ControlPlane(about);
  await controlPlane.remember();
  return controlPlane;
}

/** A case of a test: objects are written, waited for and read. */
async function use(controlPlane: ControlPlane): Promise<void> {
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one' },
    data: { text: 'a'.repeat(1_000) },
  };
  await controlPlane.admin.create(map);
  await controlPlane.until(map, (found) => found !== undefined);
  await controlPlane.kubeconfigFile();
}

const rounds: Readonly<Record<string, (controlPlane: ControlPlane) => Promise<void>>> = {
  reset: async (controlPlane) => {
    await use(controlPlane);
    await controlPlane.reset();
  },
  fork: async (controlPlane) => {
    await using fork = await controlPlane.fork();
    await use(fork);
  },
  start: async () => {
    await using another = await start();
    await use(another);
  },
};

async function held(): Promise<Held> {
  // What closes needs turns of the loop, and what waited for it is garbage after that.
  for (let turn = 0; turn < 3; turn += 1) {
    await pause(50);
    globalThis.gc?.();
  }
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return {
    heapBytes: process.memoryUsage().heapUsed,
    files: readdirSync('/proc/self/fd').length,
    listeners,
    resources,
  };
}

const [what = '', times = ''] = process.argv.slice(2);
const round = rounds[what];
if (round === undefined) throw new Error(`there is no ${what}`);
await using controlPlane = await start();
const found: Held[] = [];
for (let part = 0; part < parts; part += 1) {
  for (let n = 0; n < Number(times); n += 1) await round(controlPlane);
  found.push(await held());
}
console.log(JSON.stringify(found));
