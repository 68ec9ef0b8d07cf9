/** Informers of @kubernetes/client-node while things go wrong. */
import { CoreV1Api, KubeConfig, ListWatch, Watch, type V1ConfigMap } from '@kubernetes/client-node';
import { startControlPlane, type ControlPlane } from '../../../src/testing/index.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const map = (name: string) => ({ ...maps, metadata: { name }, data: { level: 'low' } });
const path = '/api/v1/namespaces/default/configmaps';
const retryMs = 20;

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});

afterAll(() => controlPlane.stop());
afterEach(() => controlPlane.reset());

async function hasStruck(kind: string, verb: string): Promise<boolean> {
  const strikes = await controlPlane.faults.log();
  return strikes.some((strike) => strike.kind === kind && strike.verb === verb && strike.user === 'admin');
}

let config: KubeConfig;
let informer: ListWatch<V1ConfigMap>;
let over: AbortController;
const errors: unknown[] = [];

/** The end of a watch is an error for this client, also when `stop` ended it, and `start` undoes a stop: nothing begins again after the test. */
function startAgain(stopped: ListWatch<V1ConfigMap>, { signal }: AbortController): void {
  if (!signal.aborted) void stopped.start();
}

beforeEach(async () => {
  config = new KubeConfig();
  config.loadFromString(controlPlane.kubeconfigText());
  const core = config.makeApiClient(CoreV1Api);
  const list = () => core.listNamespacedConfigMap({ namespace: 'default' });
  const soon = () => Promise.resolve();
  informer = new ListWatch<V1ConfigMap>(path, new Watch(config), list, false, undefined, undefined, {
    delayFn: soon,
  });
  errors.length = 0;
  const [mine, end] = [informer, (over = new AbortController())];
  // What this client leaves to its user: to begin again after an error.
  mine.on('error', (error: unknown) => {
    errors.push(error);
    setTimeout(startAgain, retryMs, mine, end);
  });
  await mine.start();
});

afterEach(async () => {
  over.abort();
  await informer.stop();
});

const level = (name: string): string | undefined => informer.get(name, 'default')?.data?.['level'];

async function followsOn(name: string): Promise<void> {
  await controlPlane.admin.create(map(name));
  await waitFor(`${name} in the cache`, () => level(name) === 'low');
}

test('goes on after closed watches, without a list', async () => {
  await followsOn('one');
  await controlPlane.faults.closeWatches();
  await controlPlane.admin.delete(map('one'));
  await waitFor('the deletion', () => informer.get('one', 'default') === undefined);
  await followsOn('two');
  expect(errors).toEqual([]);
});

test('lists again after 410', async () => {
  await followsOn('one');
  const old = informer.latestResourceVersion();
  await controlPlane.faults.expireHistory();
  await waitFor('the new list', () => Number(informer.latestResourceVersion()) > Number(old));
  await followsOn('two');
  expect(await hasStruck('expireHistory', 'watch')).toBe(true);
});

test('begins again after cut connections and a restart', async () => {
  await followsOn('one');
  await controlPlane.faults.closeWatches({ cut: true });
  await followsOn('two');
  await controlPlane.faults.restart();
  await followsOn('three');
});

test('is behind while its replica lags', async () => {
  await followsOn('one');
  await controlPlane.faults.lagReplica('200ms');
  await controlPlane.faults.closeWatches();
  await waitFor('the watch at the other replica', () => hasStruck('lagReplica', 'watch'));
  await controlPlane.admin.patch(map('one'), { data: { level: 'high' } });
  await controlPlane.until(map('one'), (found) => JSON.stringify(found?.['data']).includes('high'));
  expect(level('one')).toBe('low');
  await waitFor('the change', () => level('one') === 'high');
});
