/** A reset gives every object as it was, also while controllers are at work on what is taken back. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import {
  startControlPlane,
  type ApiObject,
  type ControlPlane,
  type ObjectReference,
} from '../../../src/testing/index.ts';
import { waitFor } from '../../support/wait-for.ts';

const rbac = 'rbac.authorization.k8s.io';
const named = (apiVersion: string, kind: string, more: object = {}) => ({
  of: (name: string) => ({ apiVersion, kind, metadata: { name }, ...more }),
});
const namespaces = ['default', 'n1', 'n2'] as const;
const names = ['a', 'b', 'c'] as const;

/** What tests write, and what controllers then write. */
const made: readonly ((name: string, namespace: string) => ObjectReference)[] = [
  (name) => ({
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels: { [`${rbac}/aggregate-to-view`]: 'true' } },
    rules: [{ apiGroups: ['shop.test'], resources: [name], verbs: ['get'] }],
  }),
  (name) => named('v1', 'Namespace').of(`n${String(1 + names.indexOf(name as 'a'))}`),
  (name, namespace) => inNamespace(named('v1', 'ConfigMap', { data: { name } }).of(name), namespace),
  (name, namespace) => inNamespace(named('v1', 'ServiceAccount').of(name), namespace),
  (name, namespace) =>
    inNamespace(named('v1', 'ResourceQuota', { spec: { hard: { configmaps: '9' } } }).of(name), namespace),
  (name, namespace) =>
    inNamespace(named('v1', 'Service', { spec: { ports: [{ port: 80 }] } }).of(name), namespace),
  (name) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.shop.test` },
    spec: {
      group: 'shop.test',
      names: { plural: `${name}s`, singular: name, kind: `K${name}` },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  }),
];

function inNamespace<T extends { metadata: object }>(object: T, namespace: string): T {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

const step = fc.record({
  verb: fc.constantFrom('create', 'delete', 'patch'),
  make: fc.constantFrom(...made),
  name: fc.constantFrom(...names),
  namespace: fc.constantFrom(...namespaces),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane({
    objects: [named('v1', 'Namespace').of('n1'), inNamespace(named('v1', 'ConfigMap').of('a'), 'n1')],
  });
}, 300_000);

afterAll(() => controlPlane.stop());

async function perform({ verb, make, name, namespace }: Step): Promise<unknown> {
  const { admin } = controlPlane;
  const object = make(name, namespace);
  if (verb === 'create') return admin.create(object);
  if (verb === 'delete') return admin.delete(object);
  return admin.patch(object, { metadata: { labels: { touched: name } } });
}

interface ResourceLists {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Objects of one list that are not in the other, in short. */
function others(some: readonly string[], than: readonly string[]): readonly string[] {
  const known = new Set(than);
  return some.filter((text) => !known.has(text)).map((text) => text.slice(0, 700));
}

async function expectAll(first: readonly string[]): Promise<void> {
  const now = await everything();
  expect({ gone: others(first, now), other: others(now, first) }).toEqual({ gone: [], other: [] });
}

/** Every object as clients get it, but for its resource version. */
async function everything(): Promise<readonly string[]> {
  const get = (path: string): Promise<unknown> => controlPlane.admin.request({ method: 'GET', path });
  const { groups } = (await get('/apis')) as {
    groups: { preferredVersion: { groupVersion: string } }[];
  };
  const roots = [
    '/api/v1',
    ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  const texts: string[] = [];
  for (const root of roots) {
    const { resources } = (await get(root)) as ResourceLists;
    const listed = resources.filter(
      ({ name, verbs }) => verbs.includes('list') && name !== 'componentstatuses',
    );
    for (const { name } of listed) {
      const { items } = (await get(`${root}/${name}`)) as { items: ApiObject[] };
      texts.push(
        ...items.filter((item) => !isLeaseOfControllers(name, item)).map((item) => textOf(name, item)),
      );
    }
  }
  return texts.sort();
}

function textOf(resource: string, { metadata, ...rest }: ApiObject): string {
  return JSON.stringify([resource, { ...metadata, resourceVersion: '' }, rest]);
}

/** Which process runs the controllers, and that it does, is no state of the API. */
function isLeaseOfControllers(resource: string, { metadata }: ApiObject): boolean {
  return resource === 'leases' && metadata.name === 'orch-controller-manager';
}

/** As many as are taken back by taking over the earlier state whole. */
const many = 1_600;

/** What a watch of a client has told, by namespace and name. */
class Informer {
  readonly versions = new Map<string, string>();
  readonly #stopping = new AbortController();
  readonly ended: Promise<void>;

  constructor(about: { readonly apiVersion: string; readonly kind: string }) {
    this.ended = this.#follow(about);
  }

  async #follow(about: { readonly apiVersion: string; readonly kind: string }): Promise<void> {
    const { signal } = this.#stopping;
    for await (const { type, object } of controlPlane.admin.watch(about, { signal })) {
      const name = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
      if (type === 'DELETED') this.versions.delete(name);
      else this.versions.set(name, object.metadata.resourceVersion ?? '');
    }
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.ended.catch(() => undefined);
  }
}

const configMap = named('v1', 'ConfigMap');

/** Among them dependents of an owner, changes and deletions of what was there, a namespace and a quota. */
async function fill(): Promise<void> {
  const { admin } = controlPlane;
  const owner = await admin.create<ApiObject>({ ...configMap.of('owner') });
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' },
  ];
  let next = 0;
  const writer = async (): Promise<void> => {
    for (let i = (next += 1); i <= many; i = next += 1) {
      const { metadata, ...rest } = configMap.of(`m${String(i)}`);
      await admin.create({ ...rest, metadata: { ...metadata, ...(i % 8 === 0 && { ownerReferences }) } });
    }
  };
  await Promise.all([writer(), writer(), writer(), writer()]);
  await admin.create(named('v1', 'Namespace').of('n2'));
  await admin.create(named('v1', 'ResourceQuota', { spec: { hard: { configmaps: '9000' } } }).of('q'));
  await admin.patch(inNamespace(configMap.of('a'), 'n1'), { data: { changed: 'yes' } });
  await admin.delete(inNamespace(named('v1', 'ServiceAccount').of('default'), 'n1'));
}

test('so they are after thousands were made: watches of clients are told, and controllers know', async () => {
  const first = await everything();
  const informer = new Informer(configMap.of(''));
  for (let round = 0; round < 2; round += 1) {
    await fill();
    const listed = async (): Promise<Map<string, string>> => {
      const { items } = await controlPlane.admin.list(configMap.of(''));
      return new Map(
        items.map(({ metadata: { namespace = '', name, resourceVersion = '' } }) => [
          `${namespace}/${name}`,
          resourceVersion,
        ]),
      );
    };
    const before = await controlPlane.admin.get(inNamespace(configMap.of('a'), 'n1'));
    expect(await controlPlane.reset()).toBeGreaterThan(many);
    await expectAll(first);
    await controlPlane.settled();
    await expectAll(first);
    const after = await controlPlane.admin.get(inNamespace(configMap.of('a'), 'n1'));
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    const wanted = await listed();
    await waitFor('the informer', () => isDeepStrictEqual(informer.versions, wanted));
    // An object whose owner is gone goes: the garbage collector knows of it.
    const gone = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'owner',
      uid: '5e3fd6ea-0000-4000-8000-000000000000',
    };
    const { metadata, ...rest } = configMap.of('orphan');
    await controlPlane.admin.create({ ...rest, metadata: { ...metadata, ownerReferences: [gone] } });
    await controlPlane.until(configMap.of('orphan'), (found) => found === undefined);
  }
  await informer.stop();
}, 120_000);

test('after any work, all objects are byte by byte what they were at the start', async () => {
  const first = await everything();
  expect(first.length).toBeGreaterThan(100);
  const steps = fc.array(step, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), fc.boolean(), async (all, atOnce, settles) => {
      const done = atOnce ? all.map(perform) : [];
      if (!atOnce) for (const each of all) await perform(each).catch(() => undefined);
      await Promise.allSettled(done);
      if (settles) await controlPlane.settled();
      await controlPlane.reset();
      await expectAll(first);
      await controlPlane.settled();
      await expectAll(first);
    }),
    { numRuns: 40 },
  );
}, 300_000);
