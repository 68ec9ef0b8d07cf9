/** A control plane in the process of a test. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

import {
  ApiError,
  startControlPlane,
  UntilTimeout,
  type ApiObject,
  type ControlPlane,
  type WatchEvent,
} from '../../../src/testing/index.ts';
import { nodeBinary } from '../../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const map = (name: string, level = 'low') => ({ ...maps, metadata: { name }, data: { level } });
const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
});
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

interface Definition extends ApiObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shirts.shop.test }
spec:
  group: shop.test
  scope: Namespaced
  names: { plural: shirts, singular: shirt, kind: Shirt }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

let folder: TempFolder;
let controlPlane: ControlPlane;

beforeAll(async () => {
  folder = await makeTempFolder('testing');
  mkdirSync(join(folder.path, 'crds'));
  writeFileSync(join(folder.path, 'crds', 'shirts.yaml'), definition);
  writeFileSync(join(folder.path, 'crds', 'README.md'), 'no manifest');
  controlPlane = await startControlPlane({
    users: [{ name: 'jane', groups: ['developers'] }],
    crds: [join(folder.path, 'crds')],
    objects: [
      { apiVersion: 'shop.test/v1', kind: 'Shirt', metadata: { name: 'blue', namespace: 'shop' } },
      namespace('shop'),
    ],
  });
});

afterAll(async () => {
  await controlPlane.stop();
  await folder.remove();
});

afterEach(async () => {
  await controlPlane.reset();
});

async function namesOf(plane: ControlPlane): Promise<(string | undefined)[]> {
  const { items } = await plane.admin.list(maps, { namespace: 'default' });
  return items.map(({ metadata }) => metadata.name);
}

test('definitions are served and objects exist from the start; controllers work', async () => {
  const shirt = { apiVersion: 'shop.test/v1', kind: 'Shirt', metadata: { name: 'blue', namespace: 'shop' } };
  expect(await controlPlane.admin.get(shirt)).toMatchObject(shirt);
  await controlPlane.admin.create(pod('first'));
  await controlPlane.admin.create(namespace('gone'));
  await controlPlane.admin.delete(namespace('gone'));
  expect(await controlPlane.until(namespace('gone'), (found) => found === undefined)).toBeUndefined();
});

test('a client creates, reads, changes and deletes objects, and applies them', async () => {
  const { admin } = controlPlane;
  const created = await admin.create(map('one'));
  expect(created).toMatchObject({ ...map('one'), metadata: { name: 'one', namespace: 'default' } });
  expect(await admin.update({ ...created, data: { level: 'high' } })).toMatchObject({
    data: { level: 'high' },
  });
  await expect(admin.update(created)).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
  expect(await admin.patch(map('one'), { data: { more: 'yes' } })).toMatchObject({
    data: { level: 'high', more: 'yes' },
  });
  await expect(admin.apply(map('one'), { fieldManager: 'other' })).rejects.toThrow(ApiError);
  expect(await admin.apply(map('one'), { fieldManager: 'other', force: true })).toMatchObject({
    data: { level: 'low', more: 'yes' },
  });
  await admin.delete(map('one'));
  expect(await admin.find(map('one'))).toBeUndefined();
  await expect(admin.get(map('one'))).rejects.toMatchObject({ code: 404, reason: 'NotFound' });
  await expect(admin.get({ apiVersion: 'v1', kind: 'Unheard', metadata: { name: 'x' } })).rejects.toThrow(
    /no kind Unheard is served in v1/,
  );
});

test('users may do what RBAC says, also those that come later', async () => {
  const binding = (name: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'developers' }],
  });
  const jane = controlPlane.as('jane');
  await expect(jane.list(maps)).rejects.toMatchObject({ code: 403 });
  await controlPlane.admin.create(binding('developers'));
  await waitFor('the binding', async () => {
    const answer = await jane.list(maps).catch((error: unknown) => error);
    return !(answer instanceof ApiError);
  });
  await controlPlane.addUser({ name: 'joe', groups: ['developers'] });
  expect((await controlPlane.as('joe').list(maps)).items.length).toBeGreaterThan(0);
  expect(() => controlPlane.as('nobody')).toThrow('there is no user nobody');
});

test('reset brings everything back in one revision, and watches are told', async () => {
  const events: WatchEvent<ApiObject>[] = [];
  const stopping = new AbortController();
  const before = await namesOf(controlPlane);
  await controlPlane.admin.create(map('one'));
  const { metadata } = await controlPlane.admin.list(maps, { namespace: 'default' });
  const watching = (async () => {
    const options = {
      namespace: 'default',
      resourceVersion: metadata.resourceVersion,
      signal: stopping.signal,
    };
    for await (const event of controlPlane.admin.watch(maps, options)) events.push(event);
  })();
  await controlPlane.admin.create(map('two'));
  await controlPlane.admin.delete({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'shop' },
  });
  await waitFor('the watch', () => events.length === 1);
  expect(await controlPlane.reset()).toBeGreaterThanOrEqual(2);
  expect(await namesOf(controlPlane)).toEqual(before);
  await waitFor('the events', () => events.length === 3);
  const [created, ...removed] = events;
  expect(created).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'two' } } });
  expect(removed.map(({ type }) => type)).toEqual(['DELETED', 'DELETED']);
  expect(removed.map(({ object }) => object.metadata.name).sort()).toEqual(['one', 'two']);
  const versions = new Set(removed.map(({ object }) => object.metadata.resourceVersion));
  expect(versions.size).toBe(1);
  expect(Number([...versions][0])).toBeGreaterThan(Number(created?.object.metadata.resourceVersion));
  stopping.abort();
  await watching;
  await controlPlane.admin.create(pod('after'));
});

test('definitions that came later go with a reset, and may come again', async () => {
  const cats = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'cats.shop.test' },
    spec: {
      group: 'shop.test',
      scope: 'Cluster',
      names: { plural: 'cats', kind: 'Cat' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  };
  const cat = { apiVersion: 'shop.test/v1', kind: 'Cat', metadata: { name: 'tom' } };
  for (const round of [1, 2]) {
    await controlPlane.admin.create(cats);
    await controlPlane.until<Definition>(cats, (found) =>
      (found?.status?.conditions ?? []).some(
        ({ type, status }) => type === 'Established' && status === 'True',
      ),
    );
    expect(await controlPlane.admin.create(cat)).toMatchObject({ metadata: { generation: 1 } });
    await controlPlane.reset();
    await waitFor(`the definition to be gone, round ${String(round)}`, async () => {
      const answer = await controlPlane.admin
        .request({ method: 'GET', path: '/apis/shop.test/v1/cats' })
        .catch(String);
      return String(answer).includes('404');
    });
  }
});

test('snapshots are states to go back to, in any order', async () => {
  await controlPlane.admin.create(map('one'));
  const first = await controlPlane.snapshot();
  await controlPlane.admin.create(map('two'));
  const second = await controlPlane.snapshot();
  await controlPlane.admin.delete(map('one'));
  await controlPlane.restore(first);
  expect(await namesOf(controlPlane)).toEqual(expect.not.arrayContaining(['two']));
  await controlPlane.restore(second);
  expect(await namesOf(controlPlane)).toEqual(expect.arrayContaining(['one', 'two']));
});

test('a fork goes on from a state, and neither sees the other', async () => {
  await controlPlane.admin.create(map('one'));
  const snapshot = await controlPlane.snapshot();
  await controlPlane.admin.create(map('two'));
  await using fork = await controlPlane.fork();
  await using earlier = await controlPlane.fork(snapshot);
  expect(await namesOf(fork)).toEqual(expect.arrayContaining(['one', 'two']));
  expect(await namesOf(earlier)).toEqual(expect.not.arrayContaining(['two']));
  await fork.admin.create(map('three'));
  await fork.admin.create(pod('there'));
  expect(await namesOf(controlPlane)).not.toContain('three');
  await fork.reset();
  expect(await namesOf(fork)).toEqual(expect.arrayContaining(['one', 'two']));
  expect(await namesOf(fork)).not.toContain('three');
  await expect(fork.restore(snapshot)).rejects.toThrow('of another control plane');
});

test('what does not come is told with the last state and the events', async () => {
  await controlPlane.admin.create(map('one'));
  await controlPlane.admin.create({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'one.1' },
    type: 'Warning',
    reason: 'Tired',
    message: 'no level today',
    involvedObject: { kind: 'ConfigMap', name: 'one', namespace: 'default' },
  });
  const isHigh = (found: ApiObject | undefined): boolean => JSON.stringify(found).includes('"level":"high"');
  const error: unknown = await controlPlane
    .until(map('one'), isHigh, { timeoutMs: 50 })
    .catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UntilTimeout);
  expect((error as UntilTimeout).last).toMatchObject({ data: { level: 'low' } });
  expect(String(error)).toMatch(
    /ConfigMap one did not become[\s\S]*"level": "low"[\s\S]*Warning Tired no level today/,
  );
  const waiting = controlPlane.until(map('one'), isHigh);
  await controlPlane.admin.patch(map('one'), { data: { level: 'high' } });
  expect(await waiting).toMatchObject({ data: { level: 'high' } });
});

test('kubeconfigs: object, text and a file that goes with the control plane', async () => {
  await using other = await startControlPlane({ users: [{ name: 'jane' }] });
  const file = await other.kubeconfigFile();
  expect(load(readFileSync(file, 'utf8'))).toEqual(other.kubeconfig());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(other.kubeconfigText('jane')).toContain('token: ');
  expect(other.kubeconfig().clusters[0]?.cluster.server).toBe(other.url);
  await other.stop();
  expect(existsSync(file)).toBe(false);
  await expect(other.snapshot()).rejects.toThrow('the control plane has stopped: start another one');
  await other.stop();
});

test('names of the service itself, chosen controllers and admission', async () => {
  await using other = await startControlPlane({
    naming: 'orch',
    controllers: ['namespace'],
    admission: { disable: ['ServiceAccount'] },
    featureGates: { APIListChunking: true },
  });
  const groups = (await other.admin.request({ method: 'GET', path: '/apis' })) as {
    groups: { name: string }[];
  };
  expect(groups.groups.map(({ name }) => name)).toContain('rbac.authorization.orch.io');
  await other.admin.create(pod('without-account'));
  const accounts = await other.admin.list(
    { apiVersion: 'v1', kind: 'ServiceAccount' },
    { namespace: 'default' },
  );
  expect(accounts.items).toEqual([]);
});

test.each([
  [{ flags: { 'no-such-flag': 1 } }, 'there is no flag --no-such-flag'],
  [{ flags: { 'data-dir': '/tmp' } }, 'cannot be set here'],
  [{ flags: { 'event-ttl': 'long' } }, 'give a duration such as'],
  [{ crds: ['/no/such/folder'] }, '/no/such/folder cannot be read'],
  [{ objects: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'UPPER' } }] }, 'Invalid'],
])('a start that cannot work says why: %j', async (options, message) => {
  await expect(startControlPlane(options)).rejects.toThrow(message);
});

test('faults of manifests name the file', async () => {
  const at = (name: string, text: string): string => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  await expect(startControlPlane({ crds: [at('broken.yaml', 'a: [')] })).rejects.toThrow(
    /broken\.yaml is no YAML/,
  );
  await expect(startControlPlane({ objects: [at('list.yaml', '- 1')] })).rejects.toThrow(
    /list\.yaml has a document without/,
  );
  const text = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: x }\n';
  await expect(startControlPlane({ crds: [at('other.yaml', text)] })).rejects.toThrow(/x is a Namespace/);
});

test('a taken port is told', async () => {
  await expect(startControlPlane({ port: controlPlane.port })).rejects.toThrow(/PORT_IN_USE/);
});

test('a program that forgets to stop ends, and leaves no file', () => {
  const program = join(import.meta.dirname, 'support', 'forgetful.ts');
  const ended = spawnSync(nodeBinary(), [program], { encoding: 'utf8', timeout: 50_000 });
  expect(ended.status).toBe(0);
  const file = ended.stdout.trim();
  expect(file).toMatch(/kubeconfig$/);
  expect(existsSync(file)).toBe(false);
});
