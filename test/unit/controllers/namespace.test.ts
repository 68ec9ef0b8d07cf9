/** The namespace controller where resources do not answer, and where something is left for long. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { createNamespaceController } from '../../../src/controllers/namespace/namespace-controller.ts';
import type { ResourceRef } from '../../../src/controllers/types.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { FakeApiClient, resourceRef } from '../../support/fake-api-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const namespaces = resourceRef('Namespace', { namespaced: false });
const maps = resourceRef('Map');
const things = resourceRef('Thing', { group: 'example.com' });
const ignore = (): void => undefined;

let api: FakeApiClient;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  api = new FakeApiClient([namespaces, maps, things]);
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
});

async function terminating(name: string, finalizers = ['kubernetes']): Promise<void> {
  const metadata = { name, uid: name, deletionTimestamp: '2030-01-01T00:00:00Z' };
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers } };
  await api.create(namespaces, '', object);
}

function start(): void {
  const controller = createNamespaceController({
    ...systemEnvironment,
    ...{ client: api, namespaces, finalizers: ['kubernetes', 'orch'], resourceMs: 50 },
    log: { info: ignore, warn: ignore, error: ignore },
    metrics: noControllerMetrics,
  });
  running = controller.run(stop.signal);
}

interface Told {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: {
    readonly conditions?: { readonly type: string; readonly message: string; status: string }[];
  };
}

const told = (name: string): Told => api.object(namespaces, '', name) as Told;
const isFinal = (name: string): boolean => told(name).spec?.finalizers?.length === 0;
const trouble = (name: string, type: string): string =>
  told(name).status?.conditions?.find((c) => c.type === type && c.status === 'True')?.message ?? '';

test('a resource that never answers is told of, the others are emptied, more namespaces than workers wait for it', async () => {
  const names = Array.from({ length: 6 }, (_, i) => `n${String(i)}`);
  for (const name of names) await terminating(name);
  api.put(maps, 'n0', 'map');
  api.silent.add(things);
  start();
  for (const name of names)
    await waitFor(`${name} to say why`, () =>
      trouble(name, 'NamespaceDeletionContentFailure').includes('things.'),
    );
  expect(api.names(maps)).toEqual([]);
  api.silent.clear();
  for (const name of names) await waitFor(`${name} to be final`, () => isFinal(name));
});

test('a finalizer of earlier builds goes as well', async () => {
  await terminating('old', ['orch']);
  start();
  await waitFor('old to be final', () => isFinal('old'));
});

test('a group that discovery cannot ask holds the namespace, and the rest of it is emptied', async () => {
  await terminating('n');
  api.put(maps, 'n', 'map');
  api.unknownGroups = ['example.com'];
  start();
  await waitFor('the reason', () =>
    trouble('n', 'NamespaceDeletionDiscoveryFailure').includes('example.com'),
  );
  expect([api.names(maps), isFinal('n')]).toEqual([[], false]);
  api.unknownGroups = [];
  await waitFor('the namespace to be final', () => isFinal('n'));
});

test('a collection is deleted at once, one by one where the server does not know how, and without a list as well', async () => {
  const verbs = ['delete', 'deletecollection'];
  const [whole, refusing] = ['Whole', 'Refusing'].map((kind) =>
    resourceRef(kind, { group: 'example.com', verbs: [...verbs, 'list'] }),
  ) as [ResourceRef, ResourceRef];
  const blind = resourceRef('Blind', { group: 'example.com', verbs });
  api.resources = [namespaces, whole, refusing, blind];
  api.withoutCollections.add(refusing);
  await terminating('n');
  for (const resource of [whole, refusing, blind]) api.put(resource, 'n', 'x');
  start();
  await waitFor('the namespace to be final', () => isFinal('n'));
  expect(api.deletions.sort()).toEqual(['Refusing x Background', 'all blinds', 'all wholes']);
});

test('conditions say what fails in the words that clients know, and stay small', async () => {
  const many = Array.from({ length: 150 }, (_, i) =>
    resourceRef(`Kind${String(i)}`, { group: 'example.com' }),
  );
  api.resources = [namespaces, ...many];
  for (const resource of many) api.unlistable.add(resource);
  api.unknownGroups = ['far.example.com', 'away.example.com'];
  await terminating('n');
  start();
  const failures = await waitFor(
    'the failures',
    () => trouble('n', 'NamespaceDeletionContentFailure') || undefined,
  );
  expect(failures).toMatch(
    /^Failed to delete all resource types, 150 remaining: kind0s\.example\.com: no list, /,
  );
  expect(failures).toMatch(/, and 50 more$/);
  expect(trouble('n', 'NamespaceDeletionDiscoveryFailure')).toBe(
    'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: ' +
      'away.example.com/v1: no answer, far.example.com/v1: no answer',
  );
});

test('pods of a node that is gone hold no namespace, those of a node that is there do', async () => {
  const [pods, nodes] = [resourceRef('Pod'), resourceRef('Node', { namespaced: false })];
  api.resources = [namespaces, pods, nodes];
  api.graceful.add('pods');
  api.put(nodes, '', 'there');
  await terminating('n');
  for (const nodeName of ['gone', 'there', '']) {
    const metadata = { name: `on-${nodeName}`, namespace: 'n', uid: nodeName };
    await api.create(pods, 'n', { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName } });
  }
  start();
  await waitFor('the pods to go', () => api.names(pods).length === 1);
  expect([api.names(pods), isFinal('n')]).toEqual([['on-there'], false]);
  api.remove(nodes, '', 'there');
  await waitFor('the namespace to be final', () => isFinal('n'));
});

test('while the same is left it is looked at less and less often', async () => {
  await terminating('n');
  api.unlistable.add(things);
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  start();
  await jest.advanceTimersByTimeAsync(1_000);
  const soon = api.listed.length;
  await jest.advanceTimersByTimeAsync(60_000);
  const rounds = (api.listed.length - soon) / 3;
  expect(rounds).toBeGreaterThanOrEqual(6);
  expect(rounds).toBeLessThan(12);
  jest.useRealTimers();
});

describe('pods of a namespace', () => {
  const pods = resourceRef('Pod');
  const nodes = resourceRef('Node', { namespaced: false });
  const filled = async (minor: number): Promise<void> => {
    api = new FakeApiClient([namespaces, nodes, maps, pods]);
    api.minor = minor;
    await terminating('n');
    api.put(maps, 'n', 'map');
    api.put(nodes, '', 'here');
    const metadata = { name: 'pod', namespace: 'n', uid: 'pod' };
    await api.create(pods, 'n', { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'here' } });
    api.graceful.add('pods');
    start();
    await waitFor('the namespace to say what is left', () =>
      trouble('n', 'NamespaceContentRemaining').includes('pods.'),
    );
  };

  test('end before anything else goes, from release 1.33 on', async () => {
    await filled(33);
    expect(api.names(maps)).toEqual(['map']);
    api.remove(pods, 'n', 'pod');
    await waitFor('the namespace to be final', () => isFinal('n'));
    expect(api.names(maps)).toEqual([]);
  });

  test('go with all the rest in releases before', async () => {
    await filled(32);
    expect(api.names(maps)).toEqual([]);
    api.remove(pods, 'n', 'pod');
    await waitFor('the namespace to be final', () => isFinal('n'));
  });
});
