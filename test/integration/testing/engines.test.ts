/** What every engine of a control plane does. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ApiError,
  startControlPlane,
  type ApiObject,
  type ControlPlane,
  type Snapshot,
  type Engine,
  type WatchEvent,
} from '../../../src/testing/index.ts';
import { shareEtcd, type SharedEtcd } from '../../support/etcd/shared.ts';
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

async function namesOf(plane: ControlPlane): Promise<(string | undefined)[]> {
  const { items } = await plane.admin.list(maps, { namespace: 'default' });
  return items.map(({ metadata }) => metadata.name);
}

describe.each(['memory', 'etcd', 'an etcd of others'] as const)('engine %s', (engine) => {
  let folder: TempFolder;
  let controlPlane: ControlPlane;
  let etcd: SharedEtcd | undefined;

  beforeAll(async () => {
    etcd = engine === 'an etcd of others' ? await shareEtcd() : undefined;
    folder = await makeTempFolder('engines');
    mkdirSync(join(folder.path, 'crds'));
    writeFileSync(join(folder.path, 'crds', 'shirts.yaml'), definition);
    controlPlane = await startControlPlane({
      ...(etcd ? { engine: 'etcd', etcdServers: etcd.endpoints } : { engine: engine as Engine }),
      crds: [join(folder.path, 'crds')],
      objects: [
        { apiVersion: 'shop.test/v1', kind: 'Shirt', metadata: { name: 'blue', namespace: 'shop' } },
        namespace('shop'),
      ],
    });
  });

  afterAll(async () => {
    await controlPlane.stop();
    await etcd?.[Symbol.asyncDispose]();
    await folder.remove();
  });

  afterEach(async () => {
    await controlPlane.reset();
  });

  test('definitions are served and objects exist from the start; controllers work', async () => {
    const shirt = {
      apiVersion: 'shop.test/v1',
      kind: 'Shirt',
      metadata: { name: 'blue', namespace: 'shop' },
    };
    expect(await controlPlane.admin.get(shirt)).toMatchObject(shirt);
    await controlPlane.admin.create(pod('first'));
    await controlPlane.admin.create(namespace('gone'));
    await controlPlane.admin.delete(namespace('gone'));
    await controlPlane.until(namespace('gone'), (found) => found === undefined);
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

  test('a fork does not make again what was deleted of that with which a control plane begins', async () => {
    const view = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'view' },
    };
    const before = await controlPlane.snapshot();
    await controlPlane.admin.delete(view);
    await using fork = await controlPlane.fork();
    await using earlier = await controlPlane.fork(before);
    expect(await fork.admin.find(view)).toBeUndefined();
    expect(await earlier.admin.get(view)).toMatchObject(view);
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
    for (const given of [undefined, null, fork.snapshot()])
      await expect(fork.restore(given as unknown as Snapshot)).rejects.toThrow(
        'give a snapshot: what `await',
      );
  });
});
