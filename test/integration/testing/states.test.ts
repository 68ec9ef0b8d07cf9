/** States of control planes as files, and what changed between them. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

import {
  startControlPlane,
  type ApiObject,
  type ControlPlane,
  type ControlPlaneOptions,
} from '../../../src/testing/index.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const map = (name: string, level = 'low') => ({ ...maps, metadata: { name }, data: { level } });
const shirts = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shirts.shop.test' },
  spec: {
    group: 'shop.test',
    scope: 'Namespaced',
    names: { plural: 'shirts', singular: 'shirt', kind: 'Shirt' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const shirt = { apiVersion: 'shop.test/v1', kind: 'Shirt', metadata: { name: 'blue', namespace: 'shop' } };
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { ports: [{ port: 80 }], selector: { app: 'web' } },
};

describe.each(['memory', 'etcd'] as const)('engine %s', (engine) => {
  // A real etcd keeps its own time.
  const options: ControlPlaneOptions = engine === 'memory' ? { engine, clock: 'virtual' } : { engine };
  let folder: TempFolder;
  let controlPlane: ControlPlane;
  const at = (name: string): string => join(folder.path, name);

  beforeAll(async () => {
    folder = await makeTempFolder('states');
    controlPlane = await startControlPlane(options);
    const { admin } = controlPlane;
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await admin.create(shirts);
    await controlPlane.until(
      shirts,
      (found) =>
        JSON.stringify(found?.status ?? {}).includes('"Established","status":"True"') ||
        JSON.stringify(found).includes('"type":"Established"'),
    );
    await controlPlane.settled();
    const created = await admin.create<ApiObject>(shirt);
    await admin.updateStatus({ ...created, status: { phase: 'Folded' } });
    await admin.create(service);
    await admin.create({
      ...map('owned'),
      metadata: {
        name: 'owned',
        namespace: 'shop',
        ownerReferences: [
          { apiVersion: 'shop.test/v1', kind: 'Shirt', name: 'blue', uid: String(created.metadata.uid) },
        ],
      },
    });
    await admin.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'blue.1', namespace: 'shop' },
      reason: 'Folded',
      involvedObject: { kind: 'Shirt', name: 'blue', namespace: 'shop' },
    });
    await controlPlane.settled();
  });

  afterAll(async () => {
    await controlPlane.stop();
    await folder.remove();
  });

  /** As the API shows it, without its resource version. */
  async function shown(plane: ControlPlane, about: typeof shirt): Promise<object> {
    const { metadata, ...rest } = await plane.admin.get(about);
    const { resourceVersion, ...others } = metadata;
    expect(Number(resourceVersion)).toBeGreaterThan(0);
    return { ...rest, metadata: others };
  }

  test.each(['all.state', 'all.gz'])('compact: another control plane has the same, %s', async (name) => {
    await controlPlane.save(at(name));
    expect(statSync(at(name)).mode & 0o777).toBe(0o600);
    await using other = await startControlPlane({ engine, state: at(name) });
    const owned = { ...maps, metadata: { name: 'owned', namespace: 'shop' } };
    for (const about of [shirt, service, owned] as (typeof shirt)[])
      expect(await shown(other, about)).toEqual(await shown(controlPlane, about));
    await other.save(at('again.state'));
    expect((await other.dump()).text).not.toMatch(/shop\/|shirts/);
    // The owner is known by its UID: nothing is collected before it goes.
    await other.settled();
    expect(await other.admin.find(owned)).toBeDefined();
    await other.admin.delete(shirt);
    await other.settled();
    expect(await other.admin.find(owned)).toBeUndefined();
    // Addresses stay claimed.
    const web = await other.admin.get(service);
    const second = { ...service, metadata: { name: 'second', namespace: 'shop' } };
    const { clusterIP } = web.spec as { clusterIP: string };
    await expect(other.admin.create({ ...second, spec: { ...service.spec, clusterIP } })).rejects.toThrow(
      /already allocated/,
    );
  });

  test('readable: what a person reads and edits, and another control plane loads', async () => {
    await controlPlane.save(at('some.yaml'));
    const text = readFileSync(at('some.yaml'), 'utf8');
    const { items } = load(text) as { items: ApiObject[] };
    expect(items.map(({ kind, metadata }) => `${kind} ${String(metadata.name)}`)).toEqual(
      expect.arrayContaining([
        'CustomResourceDefinition shirts.shop.test',
        'Namespace shop',
        'Shirt blue',
        'Service web',
      ]),
    );
    expect(items.map(({ kind }) => kind)).not.toContain('ClusterRole');
    expect(text).not.toMatch(/resourceVersion|managedFields/);
    writeFileSync(at('edited.yaml'), text.replace('phase: Folded', 'phase: Worn'));
    await using other = await startControlPlane(options);
    await other.admin.create(map('goes'));
    const before = await other.snapshot();
    expect(await other.load(at('edited.yaml'))).toBeGreaterThan(5);
    expect(await other.admin.find(map('goes'))).toBeUndefined();
    expect(await shown(other, shirt)).toMatchObject({ status: { phase: 'Worn' } });
    const found = await other.admin.get(shirt);
    expect(found.metadata.uid).toBe((await controlPlane.admin.get(shirt)).metadata.uid);
    const { text: changes } = await other.dump(before);
    expect(changes).toContain('+ Shirt shop/blue\n');
    expect(changes).toContain('- ConfigMap default/goes');
    // What was loaded is an object like any other.
    expect(await other.admin.patch(shirt, { metadata: { labels: { seen: 'yes' } } })).toMatchObject({
      metadata: { labels: { seen: 'yes' }, uid: found.metadata.uid },
    });
    const events = { apiVersion: 'v1', kind: 'Event' };
    expect((await other.admin.list(events, { namespace: 'shop' })).items).toHaveLength(1);
    if (engine === 'memory') {
      await other.advance('2h');
      expect((await other.admin.list(events, { namespace: 'shop' })).items).toEqual([]);
    }
    await other.reset();
    expect(await other.admin.list({ apiVersion: 'v1', kind: 'Namespace' })).toMatchObject({
      items: expect.not.arrayContaining([
        expect.objectContaining({ metadata: expect.objectContaining({ name: 'shop' }) as object }),
      ]) as object,
    });
  });

  test('a state of a snapshot, and what has changed since', async () => {
    const before = await controlPlane.snapshot();
    await controlPlane.admin.create(map('one'));
    const middle = await controlPlane.snapshot();
    await controlPlane.admin.patch(map('one'), { data: { level: 'high', more: 'yes' } });
    await controlPlane.admin.create(map('two'));
    await controlPlane.admin.delete({ ...maps, metadata: { name: 'owned', namespace: 'shop' } });
    await controlPlane.settled();
    const changes = await controlPlane.dump(middle);
    expect(changes.text).toBe(
      [
        '+ ConfigMap default/two',
        '~ ConfigMap default/one',
        '    data.level: "low" → "high"',
        '    data.more: absent → "yes"',
        '- ConfigMap shop/owned',
      ].join('\n'),
    );
    expect(changes.added).toMatchObject([{ metadata: { name: 'two' }, data: { level: 'low' } }]);
    expect((await controlPlane.dump(before)).added.map(({ metadata }) => metadata.name)).toEqual([
      'one',
      'two',
    ]);
    await controlPlane.save(at('middle.yaml'), { snapshot: middle });
    await using other = await startControlPlane({ engine, state: at('middle.yaml') });
    expect(await other.admin.get(map('one'))).toMatchObject({ data: { level: 'low' } });
    expect(await other.admin.find(map('two'))).toBeUndefined();
    await expect(other.dump(middle)).rejects.toThrow('of another control plane');
    await controlPlane.restore(before);
  });

  test('files that cannot be loaded are named', async () => {
    writeFileSync(at('wrong.yaml'), 'kind: Pod');
    await expect(controlPlane.load(at('wrong.yaml'))).rejects.toThrow(
      /wrong\.yaml cannot be loaded: it is no state/,
    );
    await expect(controlPlane.load(at('absent.state'))).rejects.toThrow(/absent\.state cannot be loaded: /);
    await expect(controlPlane.save(at('state.txt'))).rejects.toThrow(
      /state\.txt has no extension that says its form/,
    );
    await controlPlane.save(at('other.state'));
    await expect(startControlPlane({ engine, naming: 'orch', state: at('other.state') })).rejects.toThrow(
      "naming: 'kubernetes'",
    );
  });

  test('a state of one engine is one of the other, too', async () => {
    await controlPlane.save(at('moved.state'));
    await using other = await startControlPlane({
      engine: engine === 'memory' ? 'etcd' : 'memory',
      state: at('moved.state'),
    });
    for (const about of [shirt, service] as (typeof shirt)[])
      expect(await shown(other, about)).toEqual(await shown(controlPlane, about));
    await other.admin.create(map('more'));
    await other.reset();
    expect(await other.admin.find(map('more'))).toBeUndefined();
    expect(await shown(other, shirt)).toEqual(await shown(controlPlane, shirt));
  });
});
