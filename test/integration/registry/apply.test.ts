/** Server-side apply over a real etcd: the rules that need defaults, subresources and stored objects. */
import type { JsonObject } from '../../../src/base/json.ts';
import { decodeEntry, entryObject } from '../../../src/registry/written-entry.ts';
import type { WriteResult } from '../../../src/registry/types.ts';
import { ApplyRoom, calm, entries, forced, map, owned, specOf } from './apply-support.ts';
import { statusOf } from '../../support/registry.ts';

const room = new ApplyRoom();

function deployment(spec: JsonObject = {}): JsonObject {
  const template = {
    metadata: { labels: { app: 'x' } },
    spec: { containers: [{ name: 'c', image: 'x:1', ports: [{ containerPort: 80 }] }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { app: 'x' } }, template, ...spec },
  };
}

const apps = { group: 'apps' };
describe('rule 1: a body of what the sender has an opinion about', () => {
  test('creates what is missing', async () => {
    const result = await room.applyMap('m', { a: '1' });
    expect(result.created).toBe(true);
    expect(entries(result)).toEqual([
      {
        ...{ manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' },
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
        fieldsV1: { 'f:data': { 'f:a': {} } },
      },
    ]);
  });

  test('applying it again writes nothing', async () => {
    const first = await room.applyMap('m', { a: '1' });
    const again = await room.applyMap('m', { a: '1' });
    expect(again).toMatchObject({ created: false, entry: { modRevision: first.entry.modRevision } });
    expect(again.entry.bytes.equals(first.entry.bytes)).toBe(true);
  });

  test('empty and zero values do not make a change either', async () => {
    const pod = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: {}, creationTimestamp: null } },
      spec: { hostNetwork: false, containers: [{ name: 'c', image: 'x', resources: {}, env: [] }] },
      status: {},
    };
    const first = await room.verbs.apply(room.by('m', 'pods'), 'p', pod, calm);
    const again = await room.verbs.apply(room.by('m', 'pods'), 'p', pod, calm);
    expect(again.entry.modRevision).toBe(first.entry.modRevision);
  });

  test.each<[string, JsonObject, number, RegExp]>([
    ['managedFields', map({}, { managedFields: [] }), 400, /managedFields must be nil/],
    ['no kind', { apiVersion: 'v1', metadata: { name: 'm' } }, 400, /kind/],
    ['another version', { ...map({}), apiVersion: 'v2' }, 400, /Incorrect version.*v2.*v1/],
    ['another name', map({}, { name: 'other' }), 400, /name/],
    ['another namespace', map({}, { namespace: 'other' }), 400, /namespace/],
    ['an unknown field', { ...map({}), spec: { a: 1 } }, 400, /spec: field not declared/],
    ['a wrong type', map({ a: 1 }), 400, /data/],
    ['an unknown uid', map({}, { uid: 'x' }), 409, /uid/],
    ['a resourceVersion of nothing', map({}, { resourceVersion: '5' }), 400, /resourceVersion/],
    ['a bad object', map({ 'a b': '' }), 422, /data\[a b\]/],
  ])('refuses %s', async (_name, body, code, text) => {
    const { status } = await statusOf(room.verbs.apply(room.by('m', 'configmaps'), 'm', body, calm));
    expect(status.code).toBe(code);
    expect(status.message).toMatch(text);
  });

  test('refuses two items with one key, and creates nothing through a subresource', async () => {
    const container = { name: 'c', image: 'x' };
    const twice = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [container, container] } };
    expect((await statusOf(room.verbs.apply(room.by('m', 'pods'), 'p', twice, calm))).code).toBe(422);
    const status = { apiVersion: 'v1', kind: 'Pod', status: { phase: 'Running' } };
    const missing = room.verbs.apply(room.by('m', 'pods', { subresource: 'status' }), 'p', status, calm);
    expect((await statusOf(missing)).code).toBe(404);
  });

  test('errors of the configuration take precedence over other errors', async () => {
    const condition = { type: 'Ready', status: 'True' };
    const twice = { apiVersion: 'v1', kind: 'Pod', status: { conditions: [condition, condition] } };
    const missing = room.verbs.apply(room.by('m', 'pods', { subresource: 'status' }), 'p', twice, calm);
    expect((await statusOf(missing)).code).toBe(422);
    const assertMayCreate = (): Promise<void> => Promise.reject(new Error('may not create'));
    const barred = Object.assign(room.by('m', 'configmaps'), { assertMayCreate });
    await expect(room.verbs.apply(barred, 'm', map({}), calm)).rejects.toThrow('may not create');
    const finalizers = map({}, { finalizers: ['a.b/c', 'a.b/c'] });
    expect((await statusOf(room.verbs.apply(barred, 'm', finalizers, calm))).code).toBe(422);
  });

  test('a dry run answers as the real thing and writes nothing', async () => {
    const dry = await room.verbs.apply(
      room.by('m', 'configmaps', { dryRun: true }),
      'm',
      map({ a: '1' }),
      calm,
    );
    expect(dry.created).toBe(true);
    expect(owned(dry, 'm')).toEqual({ 'f:data': { 'f:a': {} } });
    expect((await room.applyMap('m', { a: '1' })).created).toBe(true);
  });
});

describe('rule 4: a manager that changes a field owns it', () => {
  test('POST owns all, defaults too; an apply owns no default', async () => {
    const posted = await room.verbs.create(room.by('c', 'deployments', apps), '', deployment());
    expect(owned(posted, 'c', 'Update')).toMatchObject({
      'f:spec': {
        'f:replicas': {},
        'f:strategy': { 'f:type': {}, 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {} } },
        'f:template': {
          'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:imagePullPolicy': {} } } },
        },
      },
    });
    const body = deployment();
    await room.verbs.delete(room.by('c', 'deployments', apps), 'd', {
      ...{
        gracePeriodSeconds: undefined,
        propagationPolicy: 'Background',
        orphanDependents: undefined,
        preconditions: undefined,
      },
    });
    const applied = await room.verbs.apply(room.by('m', 'deployments', apps), 'd', body, calm);
    const port = { '.': {}, 'f:containerPort': {} };
    expect(owned(applied, 'm')).toEqual({
      'f:spec': {
        'f:selector': {},
        'f:template': {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': {
                '.': {},
                'f:image': {},
                'f:name': {},
                'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': port },
              },
            },
          },
        },
      },
    });
    expect(specOf(applied)['replicas']).toBe(1);
  });

  test('PUT and patches own what differs, from the manager who sent it', async () => {
    await room.applyMap('m', { a: '1', b: '1', c: '1' });
    const put = await room.verbs.replace(
      room.by('putter', 'configmaps'),
      'm',
      map({ a: '2', b: '1', c: '1' }),
    );
    expect(owned(put, 'putter', 'Update')).toEqual({ 'f:data': { 'f:a': {} } });
    const patched = await room.verbs.patch(room.by('patcher', 'configmaps'), 'm', (current) => ({
      ...current,
      data: { ...(current['data'] as JsonObject), b: '2' },
    }));
    expect(owned(patched, 'patcher', 'Update')).toEqual({ 'f:data': { 'f:b': {} } });
    expect(owned(patched, 'm')).toEqual({ 'f:data': { 'f:c': {} } });
  });

  test('a write that changes nothing leaves the object as it was', async () => {
    const first = await room.verbs.create(room.by('c', 'configmaps'), '', map({ a: '1' }));
    const { managedFields: _m, ...metadata } = entryObject(first.entry).metadata as JsonObject;
    for (const body of [decodeEntry(first.entry), { ...map({ a: '1' }), metadata }, map({ a: '1' })]) {
      const again = await room.verbs.replace(room.by('d', 'configmaps'), 'm', body);
      expect(again.entry.modRevision).toBe(first.entry.modRevision);
    }
  });

  test('in later releases status has an entry of its own', async () => {
    const verbs = room.laterVerbs;
    await verbs.apply(room.by('m', 'deployments', apps), 'd', deployment({ replicas: 2 }), calm);
    const status = await verbs.patch(
      room.by('k', 'deployments', { ...apps, subresource: 'status' }),
      'd',
      (current) => ({
        ...current,
        status: { replicas: 1, observedGeneration: 1 },
      }),
    );
    expect(entries(status).find((e) => e.manager === 'k')).toMatchObject({
      ...{ operation: 'Update', subresource: 'status' },
      fieldsV1: { 'f:status': { 'f:observedGeneration': {}, 'f:replicas': {} } },
    });
  });
});

describe('rule 6: a conflict', () => {
  test('is a 409 with one cause per field and manager', async () => {
    await room.verbs.create(room.by('kubectl', 'configmaps'), '', map({ a: '1', b: '1' }));
    await room.applyMap('other', { b: '1' });
    const { status } = await statusOf(room.applyMap('m', { a: '2', b: '2' }));
    const using = 'conflict with "kubectl" using v1';
    expect(status).toMatchObject({
      ...{ code: 409, reason: 'Conflict' },
      message:
        'Apply failed with 3 conflicts: conflicts with "kubectl" using v1:\n- .data.a\n- .data.b\nconflicts with "other":\n- .data.b',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: using, field: '.data.a' },
          { reason: 'FieldManagerConflict', message: using, field: '.data.b' },
          { reason: 'FieldManagerConflict', message: 'conflict with "other"', field: '.data.b' },
        ],
      },
    });
    const result = await room.applyMap('m', { a: '2', b: '2' }, forced);
    expect(entries(result).map((e) => e.manager)).toEqual(['m', 'kubectl']);
    expect(owned(result, 'kubectl', 'Update')).toEqual({ 'f:data': {} });
  });

  test('a resourceVersion that is not the current one is a conflict too', async () => {
    const { entry } = await room.applyMap('m', { a: '1' });
    await room.applyMap('n', { b: '1' });
    const stale = map({ a: '2' }, { resourceVersion: String(entry.modRevision) });
    const { status } = await statusOf(room.verbs.apply(room.by('m', 'configmaps'), 'm', stale, forced));
    expect(status).toMatchObject({
      code: 409,
      message: expect.stringContaining('has been modified') as string,
    });
  });
});

describe('rule 7: a dropped field', () => {
  test('is reset to its default', async () => {
    const first = await room.verbs.apply(
      room.by('m', 'deployments', apps),
      'd',
      deployment({ replicas: 3, paused: true }),
      calm,
    );
    expect(specOf(first)).toMatchObject({ replicas: 3, paused: true });
    const second = await room.verbs.apply(room.by('m', 'deployments', apps), 'd', deployment(), calm);
    expect(specOf(second)).toMatchObject({ replicas: 1 });
    expect(specOf(second)).not.toHaveProperty('paused');
  });

  test('takes along the defaults of its struct; items of lists go too', async () => {
    const container = { name: 'c', image: 'x' };
    const probe = { livenessProbe: { httpGet: { path: '/', port: 80 } } };
    const pod = (extra: JsonObject): JsonObject => ({
      ...{ apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'p' } },
      template: { spec: { containers: [{ ...container, ...extra }] } },
    });
    const templates = room.by('m', 'podtemplates');
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ];
    const first = await room.verbs.apply(templates, 'p', pod({ ...probe, env }), calm);
    expect(containerOf(first)).toMatchObject({ livenessProbe: { periodSeconds: 10 }, env });
    const second = await room.verbs.apply(templates, 'p', pod({ env: [{ name: 'B', value: '2' }] }), calm);
    expect(containerOf(second)).not.toHaveProperty('livenessProbe');
    expect(containerOf(second)['env']).toEqual([{ name: 'B', value: '2' }]);
  });

  function containerOf(result: WriteResult): JsonObject {
    const template = decodeEntry(result.entry)['template'] as { spec: { containers: JsonObject[] } };
    return template.spec.containers[0] ?? {};
  }

  test('stays while another owns it', async () => {
    await room.applyMap('m', { a: '1' });
    await room.applyMap('n', { a: '1' });
    const left = await room.applyMap('m', { b: '1' });
    expect(decodeEntry(left.entry)['data']).toEqual({ a: '1', b: '1' });
  });
});

describe('rule 9: controllers force, without reading first', () => {
  test('many at once lose nothing', async () => {
    const writers = Array.from({ length: 12 }, (_, i) => `w${String(i)}`);
    const results = await Promise.all(writers.map((w) => room.applyMap(w, { [w]: w }, forced)));
    expect(results.filter((r) => r.created)).toHaveLength(1);
    const last = await room.applyMap('w0', { w0: 'w0' }, forced);
    expect(Object.keys(decodeEntry(last.entry)['data'] as JsonObject).sort()).toEqual(writers.sort());
    expect(entries(last)).toHaveLength(12);
  });
});

describe('rule 11: subresources', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'c', image: 'x' }] } };

  test('an operation that is not on the resource’s type tracks nothing', async () => {
    await room.verbs.apply(room.by('m', 'pods'), 'p', pod, calm);
    await room.verbs.act(room.by('scheduler', 'pods', { subresource: 'binding' }), 'p', 'create', {
      target: { name: 'n' },
    });
    const bound = await room.verbs.get(room.by('m', 'pods'), 'p', { resourceVersion: '' });
    expect(specOf({ entry: bound, created: false })['nodeName']).toBe('n');
    expect(entries({ entry: bound, created: false }).map((e) => e.manager)).toEqual(['m']);
  });

  test.each(['1.21', '1.22'])('a write to scale leaves no owner (release %s)', async (release) => {
    const verbs = release === '1.21' ? room.verbs : room.laterVerbs;
    const applied = deployment({ replicas: 2 });
    const before = await verbs.apply(room.by('m', 'deployments', apps), 'd', applied, calm);
    const scale = { metadata: { name: 'd' }, spec: { replicas: 5 } };
    const scaling = { ...apps, subresource: 'scale' };
    await verbs.act(room.by('s', 'deployments', scaling), 'd', 'update', scale);
    const scaled = await verbs.get(room.by('m', 'deployments', apps), 'd', { resourceVersion: '' });
    expect(specOf({ entry: scaled, created: false })).toMatchObject({ replicas: 5 });
    expect(entries({ entry: scaled, created: false })).toEqual(entries(before));
    const after = await verbs.apply(room.by('m', 'deployments', apps), 'd', applied, calm);
    expect(specOf(after)).toMatchObject({ replicas: 2 });
  });

  const body = {
    ...pod,
    spec: { containers: [{ name: 'other', image: 'y' }] },
    status: { phase: 'Running' },
  };

  test('status is owned through its subresource alone, in the entry of its manager', async () => {
    const sent = { ...pod, metadata: { labels: { a: 'b' } }, status: { phase: 'Failed' } };
    const first = await room.verbs.apply(room.by('m', 'pods'), 'p', sent, calm);
    const main = owned(first, 'm') as JsonObject;
    expect(main).not.toHaveProperty('f:status');
    const status = await room.verbs.apply(room.by('m', 'pods', { subresource: 'status' }), 'p', body, calm);
    expect(decodeEntry(status.entry)).toMatchObject({
      spec: { containers: [{ name: 'c' }] },
      status: { phase: 'Running' },
    });
    const { 'f:metadata': metadata, ...rest } = main;
    expect(metadata).toBeDefined();
    expect(entries(status)).toHaveLength(1);
    expect(entries(status)[0]).not.toHaveProperty('subresource');
    expect(owned(status, 'm')).toEqual({ ...rest, 'f:status': { 'f:phase': {} } });
    // The object again: its status stays as it is, and stays owned.
    const again = await room.verbs.apply(room.by('m', 'pods'), 'p', sent, calm);
    expect(decodeEntry(again.entry)).toMatchObject({ status: { phase: 'Running' } });
    expect(owned(again, 'm')).toEqual({ ...main, 'f:status': { 'f:phase': {} } });
    const same = await room.verbs.apply(room.by('m', 'pods'), 'p', sent, calm);
    expect(same.entry.modRevision).toBe(again.entry.modRevision);
  });

  test('in later releases status has an entry of its own', async () => {
    const verbs = room.laterVerbs;
    await verbs.apply(room.by('m', 'pods'), 'p', pod, calm);
    const status = await verbs.apply(room.by('m', 'pods', { subresource: 'status' }), 'p', body, calm);
    expect(entries(status)).toMatchObject([
      { manager: 'm', operation: 'Apply', fieldsV1: { 'f:spec': {} } },
      {
        manager: 'm',
        operation: 'Apply',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:phase': {} } },
      },
    ]);
  });
});

describe('rule 12: the gate ServerSideApply', () => {
  test('off: apply is refused, managedFields are not kept', async () => {
    const off = room.verbsWith(false);
    const refusal = await statusOf(off.apply(room.by('m', 'configmaps'), 'm', map({}), calm));
    expect(refusal.status).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    const { entry } = await room.applyMap('m', { a: '1' });
    expect(decodeEntry(entry)['metadata']).toHaveProperty('managedFields');
    const written = await off.replace(room.by('m', 'configmaps'), 'm', map({ a: '2' }));
    expect(entries(written)).toEqual([]);
    expect(entries(await off.create(room.by('m', 'configmaps'), '', map({}, { name: 'n' })))).toEqual([]);
  });
});
