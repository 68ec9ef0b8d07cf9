/** Large stored objects are parsed one in a turn of the event loop, however many requests need them at once. */
import { performance } from 'node:perf_hooks';
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';
import { find } from '../../../src/admission/object-reader.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { decodeStored } from '../../../src/codec/stored.ts';
import { serveGet } from '../../../src/http/verbs/serve-get.ts';
import type { ResourceRequest, VerbDeps } from '../../../src/http/verbs/verb-request.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { createRegistry } from '../../../src/registry/registry.ts';
import type { RequestScope, ServedResource } from '../../../src/registry/types.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { CollectionSnapshot, Entry } from '../../../src/storage/types.ts';
import { createStorageReader } from '../../../src/server/admission/storage-reader.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { dryRunStorage } from '../../support/growth/memory-storage.ts';

const { catalogue } = realCatalogue(namingProfiles.kubernetes);
const names = ['a', 'b', 'c', 'd', 'e'];
const large = 'x'.repeat(200_000);

function resourceOf(group: string, plural: string): ServedResource {
  const resource = catalogue.resource(group, 'v1', plural);
  if (!resource) throw new Error(`there are no ${plural}`);
  return resource;
}

function entry(collection: string, name: string): Entry {
  const metadata = { name, namespace: 'ns', annotations: { large } };
  const spec = { replicas: 1, containers: [{ name: 'c' }], nodeName: '' };
  return newEntry(collection, `ns/${name}`, Buffer.from(JSON.stringify({ metadata, spec })), 7);
}

/** The registry over large objects in memory. */
function registryOf({ storage: { collection } }: ServedResource): ReturnType<typeof createRegistry> {
  const entries = names.map((name) => entry(collection, name));
  const snapshot: Partial<CollectionSnapshot> = {
    revision: 7,
    entries: () => entries,
    having: () => undefined,
  };
  const empty: Partial<CollectionSnapshot> = { ...snapshot, entries: () => [], count: () => 0 };
  const stored = new Map(entries.map(({ key, bytes }) => [`${collection}/${key}`, bytes]));
  return createRegistry({
    storage: {
      ...dryRunStorage(stored),
      snapshot: (of) => Promise.resolve((of === collection ? snapshot : empty) as CollectionSnapshot),
    },
    catalogue,
    admission: createAdmissionChain([]),
    isFeatureEnabled: () => true,
    ...systemEnvironment,
    collectsGarbage: false,
  });
}

function scopeOf(resource: ServedResource, subresource = ''): RequestScope {
  return {
    ...{ resource, namespace: 'ns', subresource, dryRun: true, fieldManager: '' },
    user: { name: 'ann', uid: '', groups: [], extra: {} },
    signal: AbortSignal.timeout(60_000),
    assertMayCreate: () => Promise.resolve(),
    warn: () => undefined,
  };
}

/** Turns of the event loop in which large texts are parsed while the work goes on; each takes longer than a slice. */
async function turnsOf(work: () => Promise<unknown>[]): Promise<number[]> {
  const turns: number[] = [];
  const { parse } = JSON;
  const spy = jest.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (text.length >= large.length) {
      turns.push(performance.nodeTiming.uvMetricsInfo.loopCount);
      const end = performance.now() + 6;
      while (performance.now() < end);
    }
    return parse(text, reviver) as unknown;
  });
  try {
    const failures = (await Promise.allSettled(work())).flatMap((one) =>
      one.status === 'rejected' && !(one.reason instanceof StatusError) ? [one.reason as unknown] : [],
    );
    expect(failures).toEqual([]);
  } finally {
    spy.mockRestore();
  }
  return turns;
}

function expectOneInATurn(turns: readonly number[], count: number): void {
  expect(turns.length).toBeGreaterThanOrEqual(count);
  expect(new Set(turns).size).toBe(turns.length);
}

const pods = resourceOf('', 'pods');

test.each([
  ['field', 'spec.nodeName!=other'],
  ['field that nothing has', 'spec.nodeName=other'],
])('a list filtered by a %s', async (_what, fieldSelector) => {
  const options = { labelSelector: '', resourceVersion: '', limit: 0, continue: '', fieldSelector };
  const asked = { ...options, resourceVersionMatch: '' };
  const lists = (): Promise<unknown>[] => [registryOf(pods).list(scopeOf(pods), asked)];
  expectOneInATurn(await turnsOf(lists), names.length);
});

test('deletions', async () => {
  const verbs = registryOf(pods);
  const orphans = { propagationPolicy: undefined, orphanDependents: undefined };
  const deletion = { ...orphans, gracePeriodSeconds: 0, preconditions: undefined };
  const deletions = (): Promise<unknown>[] =>
    names.map((name) => verbs.delete(scopeOf(pods), name, deletion));
  expectOneInATurn(await turnsOf(deletions), names.length);
});

test('connections to pods', async () => {
  const verbs = registryOf(pods);
  const logs = (): Promise<unknown>[] =>
    names.map((name) => verbs.connect(scopeOf(pods, 'log'), name, 'get', {}));
  expectOneInATurn(await turnsOf(logs), names.length);
});

test('scales', async () => {
  const deployments = resourceOf('apps', 'deployments');
  const verbs = registryOf(deployments);
  const scales = (): Promise<unknown>[] =>
    names.map((name) => verbs.act(scopeOf(deployments, 'scale'), name, 'get', {}));
  expectOneInATurn(await turnsOf(scales), names.length);
});

test('evictions', async () => {
  const verbs = registryOf(pods);
  const body = { apiVersion: 'policy/v1', kind: 'Eviction' };
  const evictions = (): Promise<unknown>[] =>
    names.map((name) => verbs.act(scopeOf(pods, 'eviction'), name, 'create', { body }));
  expectOneInATurn(await turnsOf(evictions), names.length);
});

test('a Binding that names a large pod moves before the pod is parsed, and is carried out elsewhere', async () => {
  const verbs = registryOf(pods);
  const body = { metadata: { name: 'a' }, target: { name: 'n' } };
  const bind = (growth: 'moves' | 'stays') =>
    verbs.act({ ...scopeOf(resourceOf('', 'bindings')), growth }, '', 'create', body);
  const moved = (): Promise<unknown>[] => [expect(bind('moves')).rejects.toThrow(GrownWrite)];
  expect(await turnsOf(moved)).toEqual([]);
  expect(await bind('stays')).toMatchObject({ status: 'Success' });
});

test('objects that admission looks at', async () => {
  const { collection } = resourceOf('', 'serviceaccounts').storage;
  const entries = names.map((name) => entry(collection, name));
  const stored = new Map(entries.map(({ key, bytes }) => [`${collection}/${key}`, bytes]));
  const reader = createStorageReader(dryRunStorage(stored));
  const { signal } = new AbortController();
  const looks = (): Promise<unknown>[] => entries.map(({ key }) => find(reader, collection, key, signal));
  expectOneInATurn(await turnsOf(looks), names.length);
});

test('objects in a form that is made anew', async () => {
  const verbs = registryOf(pods);
  const object = ({ bytes }: Entry): Buffer => Buffer.from(JSON.stringify(decodeStored(bytes)));
  const deps = { verbs, representations: { of: () => ({ object, contentType: 'application/yaml' }) } };
  const context = {
    ...{ query: { get: () => '' }, info: { namespace: 'ns', subresource: '' }, isClosed: () => true },
    user: { name: 'ann', uid: '', groups: [], extra: {} },
    signal: AbortSignal.timeout(60_000),
  };
  const gets = (): Promise<unknown>[] =>
    names.map((name) =>
      serveGet({ context, resource: pods, name } as unknown as ResourceRequest, deps as unknown as VerbDeps),
    );
  expectOneInATurn(await turnsOf(gets), names.length);
});
