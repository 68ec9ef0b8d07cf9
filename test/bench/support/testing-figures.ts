/**
 * Prints, as JSON, what `orch-apiserver/testing` takes in a process of its own: with the engine that its first argument
 * names (`memory`, `etcd`), and as many objects as the second says; or, as `mock`, what a test of a controller with a mock
 * of its client takes, or, as `node`, what Node takes without any of it.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ControlPlane, ControlPlaneOptions } from 'orch-apiserver/testing';

/** One step: wall time and processor time of the whole process, in milliseconds. */
export interface Step {
  readonly ms: number;
  readonly cpuMs: number;
  /** Megabytes that the process has in memory afterwards, and how many of them came with the step. */
  readonly residentMegabytes: number;
  readonly addedMegabytes: number;
}

export type TestingFigures = Readonly<Record<string, Step>>;

const [side = '', count = ''] = process.argv.slice(-2);
const objects = Number(count);
const figures: Record<string, Step> = {};

/** In a file of tests that fork for each. */
const usualForks = 20;

async function step<Result>(name: string, run: () => Result | Promise<Result>): Promise<Result> {
  const residentBefore = process.memoryUsage.rss();
  const [began, before] = [performance.now(), process.cpuUsage()];
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  const ms = performance.now() - began;
  const resident = process.memoryUsage.rss();
  figures[name] = {
    ms,
    cpuMs: (user + system) / 1000,
    residentMegabytes: resident / 1e6,
    addedMegabytes: (resident - residentBefore) / 1e6,
  };
  return result;
}

async function measureEngine(engine: 'memory' | 'etcd'): Promise<void> {
  const { startControlPlane } = await import('orch-apiserver/testing');
  const start = (more: ControlPlaneOptions = {}): Promise<ControlPlane> =>
    startControlPlane({ engine, ...more });
  const first = await step('first start', () => start());
  const second = await step('second control plane beside it', () => start());
  await second.stop();
  await first.stop();
  await using plane = await step('start after others have stopped', () => start());
  await plane.admin.create(configMap('changed'));
  await step('reset of one object', () => plane.reset());
  await fill(plane);
  const filled = await step(`snapshot of ${String(objects)} objects`, () => plane.snapshot());
  const fork = await step(`fork of ${String(objects)} objects`, () => plane.fork(filled));
  await fork.stop();
  // A test for each: what runs often is compiled by then.
  for (let i = 0; i < usualForks; i += 1) await (await plane.fork(filled)).stop();
  const later = await step(`fork behind ${String(usualForks)} others`, () => plane.fork(filled));
  await later.stop();
  await step(`reset of ${String(objects)} objects`, () => plane.reset());
  if (engine === 'etcd') return;
  await using timed = await start({ clock: 'virtual' });
  await step("advance('1h')", () => timed.advance('1h'));
}

/** What Node itself has, with and without a second thread. */
async function measureNothing(): Promise<void> {
  await step('a process without code', () => undefined);
  await step('a thread beside it', emptyThread);
}

async function emptyThread(): Promise<void> {
  const thread = new Worker('require("node:worker_threads").parentPort.on("message", () => {})', {
    eval: true,
  });
  await once(thread, 'online');
  thread.unref();
}

function configMap(name: string): { apiVersion: string; kind: string; metadata: { name: string } } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

async function fill(plane: ControlPlane): Promise<void> {
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < objects) await plane.admin.create(configMap(`filled-${String((next += 1))}`));
  };
  await Promise.all(Array.from({ length: 16 }, writer));
}

function isSide(name: string): name is keyof typeof sides {
  return Object.hasOwn(sides, name);
}

/** What a test would take instead: the client's package, with methods that a map answers. */
async function measureMock(): Promise<void> {
  const stored = new Map<string, object>();
  const create = await step('first start', async () => {
    const { CoreV1Api, KubeConfig, V1ConfigMap } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    config.loadFromClusterAndUser(
      { name: 'none', server: 'https://none', skipTLSVerify: false },
      { name: 'none' },
    );
    const client = config.makeApiClient(CoreV1Api);
    client.createNamespacedConfigMap = ({ body }) => {
      stored.set(body.metadata?.name ?? '', body);
      return Promise.resolve(body);
    };
    return (name: string) => {
      const body = Object.assign(new V1ConfigMap(), configMap(name));
      return client.createNamespacedConfigMap({ namespace: 'default', body });
    };
  });
  for (let i = 0; i < objects; i += 1) await create(`filled-${String(i)}`);
  await step(`snapshot of ${String(objects)} objects`, () => new Map(stored));
  await step(`reset of ${String(objects)} objects`, () => stored.clear());
}

const sides = {
  memory: () => measureEngine('memory'),
  etcd: () => measureEngine('etcd'),
  mock: measureMock,
  node: measureNothing,
};
if (!isSide(side)) throw new Error(`one of ${Object.keys(sides).join(', ')}`);
await sides[side]();
process.stdout.write(JSON.stringify(figures satisfies TestingFigures));
process.exit();
