/** managedFields in other writes, and ownership across versions, over a real etcd. */
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { deepCopy } from '../../../src/base/json.ts';
import { decodeEntry } from '../../../src/registry/written-entry.ts';
import type { RequestScope, WriteResult } from '../../../src/registry/types.ts';
import type { By } from './apply-support.ts';
import { ApplyRoom, calm, entries, map, owned, specOf } from './apply-support.ts';
import { statusOf } from '../../support/registry.ts';

const room = new ApplyRoom();

describe('managedFields in a write that is no apply', () => {
  const put = (managedFields: JsonValue | undefined, data: JsonObject): Promise<WriteResult> =>
    room.verbs.replace(
      room.by('u', 'configmaps'),
      'm',
      map(data, managedFields === undefined ? {} : { managedFields }),
    );

  test.each<[string, JsonValue | undefined]>([
    ['nothing', undefined],
    ['an empty list', []],
  ])('%s leaves them', async (_name, sent) => {
    const first = await room.applyMap('m', { a: '1' });
    expect(entries(await put(sent, { a: '1' }))).toEqual(entries(first));
  });

  test('one empty entry resets them', async () => {
    await room.applyMap('m', { a: '1' });
    const reset = await put([{}], { a: '1' });
    expect(decodeEntry(reset.entry)['metadata']).not.toHaveProperty('managedFields');
    const conflict = await statusOf(room.applyMap('m', { a: '2' }));
    expect(conflict.message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    );
    const shared = await room.applyMap('m', { a: '1' });
    expect(entries(shared).map((e) => e.manager)).toEqual(['m', 'before-first-apply']);
  });

  test('a reset comes before the other changes, which the writer owns', async () => {
    await room.applyMap('m', { a: '1', b: '1' });
    const result = await put([{}], { a: '1', b: '2' });
    expect(entries(result)).toMatchObject([{ manager: 'u', fieldsV1: { 'f:data': { 'f:b': {} } } }]);
  });

  test('a reset through status holds too', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'c', image: 'x' }] } };
    await room.verbs.apply(room.by('m', 'pods'), 'p', pod, calm);
    const result = await room.verbs.patch(
      room.by('k', 'pods', { subresource: 'status' }),
      'p',
      (current) => ({
        ...current,
        metadata: { ...(current['metadata'] as JsonObject), managedFields: [{}] },
      }),
    );
    expect(entries(result)).toEqual([]);
  });

  test('other entries replace them, in canonical form', async () => {
    await room.applyMap('m', { a: '1' });
    const sent = {
      manager: 'x',
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    };
    const result = await put([sent], { a: '1', b: '1' });
    expect(entries(result)).toMatchObject([sent, { manager: 'u', fieldsV1: { 'f:data': { 'f:b': {} } } }]);
  });

  test('entries that come back without their subresource are as they were', async () => {
    const verbs = room.laterVerbs;
    const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'c', image: 'x' }] } };
    await verbs.apply(room.by('m', 'pods'), 'p', pod, calm);
    const ready = { type: 'Ready', status: 'True' };
    const first = await verbs.patch(room.by('k', 'pods', { subresource: 'status' }), 'p', (current) => ({
      ...current,
      status: { conditions: [ready] },
    }));
    // A client that was built before the field came: it reads the object, changes it, and writes what it knows.
    const put = (plural: By, change: (object: JsonObject) => void): Promise<WriteResult> =>
      verbs.patch(room.by('k', 'pods', plural), 'p', (current) => {
        const object = deepCopy(current);
        const { managedFields } = object['metadata'] as { managedFields: JsonObject[] };
        for (const entry of managedFields) delete entry['subresource'];
        change(object);
        return object;
      });
    const second = await put({}, ({ metadata }) => {
      (metadata as JsonObject)['labels'] = { a: 'b' };
    });
    const third = await put({ subresource: 'status' }, (object) => {
      object['status'] = { conditions: [ready], message: 'm' };
    });
    const told = [first, second, third].map((result) =>
      entries(result).map(({ manager, subresource }) => [manager, subresource]),
    );
    const [m, status, main] = [
      ['m', undefined],
      ['k', 'status'],
      ['k', undefined],
    ];
    expect(told[0]).toEqual([m, status]);
    for (const after of told.slice(1)) {
      expect(after).toHaveLength(3);
      expect(after).toEqual(expect.arrayContaining([m, status, main]));
    }
    expect(entries(third).find((entry) => entry.subresource === 'status')?.fieldsV1).toMatchObject({
      'f:status': { 'f:message': {}, 'f:conditions': { 'k:{"type":"Ready"}': { '.': {} } } },
    });
  });

  test('entries that cannot be read are as not sent', async () => {
    const first = await room.applyMap('m', { a: '1' });
    const broken = { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsV1: { nonsense: {} } };
    expect(entries(await put([broken], { a: '1' }))).toEqual(entries(first));
  });
});

describe('ownership across versions', () => {
  const group = { group: 'networking.orch.io' };
  const path = (backend: JsonObject): JsonObject => ({ path: '/', pathType: 'Prefix', backend });
  const old: JsonObject = {
    ...{ apiVersion: 'networking.orch.io/v1beta1', kind: 'Ingress', metadata: { name: 'i' } },
    spec: {
      backend: { serviceName: 's', servicePort: 80 },
      rules: [{ host: 'h', http: { paths: [path({ serviceName: 's', servicePort: 80 })] } }],
    },
  };
  const today = (name: string, extra: JsonObject = {}): JsonObject => ({
    ...{ apiVersion: 'networking.orch.io/v1', kind: 'Ingress', metadata: { name: 'i' } },
    spec: { defaultBackend: { service: { name, port: { number: 80 } } }, ...extra },
  });
  const inOld = (options: By): RequestScope => room.by('m', 'ingresses', options);

  test('what is owned in one version is a conflict in another', async () => {
    await room.verbs.apply(inOld({ ...group, version: 'v1beta1' }), 'i', old, calm);
    const { status } = await statusOf(
      room.verbs.apply(room.by('n', 'ingresses', group), 'i', today('t'), calm),
    );
    expect(status).toMatchObject({
      code: 409,
      message: expect.stringContaining('conflict with "m"') as string,
    });
    const same = await room.verbs.apply(room.by('n', 'ingresses', group), 'i', today('s'), calm);
    expect(entries(same).map((e) => e.apiVersion)).toEqual([
      'networking.orch.io/v1beta1',
      'networking.orch.io/v1',
    ]);
  });

  test('what the applier drops in the new version goes, what it keeps stays', async () => {
    await room.verbs.apply(inOld({ ...group, version: 'v1beta1' }), 'i', old, calm);
    const next = await room.verbs.apply(room.by('m', 'ingresses', group), 'i', today('s'), calm);
    expect(specOf(next)).toEqual({ defaultBackend: { service: { name: 's', port: { number: 80 } } } });
    expect(entries(next)).toMatchObject([{ manager: 'm', apiVersion: 'networking.orch.io/v1' }]);
  });

  test('what others own in the old version stays', async () => {
    await room.verbs.apply(room.by('n', 'ingresses', { ...group, version: 'v1beta1' }), 'i', old, calm);
    await room.verbs.apply(room.by('m', 'ingresses', group), 'i', today('s'), calm);
    const next = await room.verbs.apply(
      room.by('m', 'ingresses', group),
      'i',
      {
        ...{
          apiVersion: 'networking.orch.io/v1',
          kind: 'Ingress',
          metadata: { name: 'i', labels: { a: 'b' } },
        },
      },
      calm,
    );
    expect(specOf(next)).toMatchObject({ defaultBackend: { service: { name: 's' } } });
  });

  test('an update in the new version takes fields owned in the old one', async () => {
    await room.verbs.apply(room.by('m', 'ingresses', { ...group, version: 'v1beta1' }), 'i', old, calm);
    const updated = await room.verbs.patch(room.by('u', 'ingresses', group), 'i', (current) => ({
      ...current,
      spec: {
        ...(current['spec'] as JsonObject),
        defaultBackend: { service: { name: 't', port: { number: 80 } } },
      },
    }));
    expect(owned(updated, 'm')).not.toMatchObject({ 'f:spec': { 'f:backend': { 'f:serviceName': {} } } });
    expect(owned(updated, 'u', 'Update')).toEqual({
      'f:spec': { 'f:defaultBackend': { 'f:service': { 'f:name': {} } } },
    });
  });

  test('an entry in a version that is gone is forgotten at the next change', async () => {
    const gone = {
      manager: 'x',
      operation: 'Apply',
      apiVersion: 'v0',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    };
    const first = await room.verbs.create(
      room.by('c', 'configmaps'),
      '',
      map({ a: '1' }, { managedFields: [gone] }),
    );
    expect(entries(first).map((e) => e.manager)).toEqual(['c']);
  });
});
