/** Subresources: what each of them may touch, and what it leaves. */
import type { ApiObject } from '../../support/client.ts';
import {
  configMaps,
  deployment,
  deployments,
  pod,
  pods,
  startService,
  type Service,
} from '../../support/writes.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('status', () => {
  let path = '';
  let count = 0;

  beforeEach(async () => {
    const name = `s${String(++count)}`;
    await service.admin.ok('POST', deployments, { ...deployment(name), status: { replicas: 9 } });
    path = `${deployments}/${name}`;
  });

  test('is not taken from a create, nor from a write of the object', async () => {
    expect((await service.admin.ok('GET', path))['status']).not.toHaveProperty('replicas', 9);
    const object = await service.admin.ok('GET', path);
    const replaced = await service.admin.ok('PUT', path, { ...object, status: { replicas: 5 } });
    expect(replaced['status']).toEqual(object['status']);
    const merged = (await service.admin.patch(path, 'merge', { status: { replicas: 5 } })).json();
    expect(merged['status']).toEqual(object['status']);
  });

  test.each(['PUT', 'merge', 'strategic-merge', 'json'])('by %s leaves spec and labels', async (way) => {
    const object = await service.admin.ok('GET', path);
    const changed = {
      ...object,
      metadata: { ...object.metadata, labels: { changed: 'yes' } },
      spec: { ...(object['spec'] as object), replicas: 7 },
      status: { replicas: 3 },
    };
    const operations = [
      { op: 'add', path: '/spec/replicas', value: 7 },
      { op: 'add', path: '/status/replicas', value: 3 },
    ];
    const answer =
      way === 'PUT'
        ? await service.admin.put(`${path}/status`, changed)
        : await service.admin.patch(
            `${path}/status`,
            way,
            way === 'json' ? operations : { spec: { replicas: 7 }, status: { replicas: 3 } },
          );
    expect(answer.status).toBe(200);
    const after = answer.json();
    expect(after['spec']).toEqual(object['spec']);
    expect(after.metadata.labels).toEqual(object.metadata.labels);
    expect(after['status']).toMatchObject({ replicas: 3 });
    expect(after.metadata['generation']).toBe(object.metadata['generation']);
  });

  test('answers GET with the whole object, and knows no POST or DELETE', async () => {
    expect((await service.admin.get(`${path}/status`)).text).toBe((await service.admin.get(path)).text);
    expect((await service.admin.post(`${path}/status`, {})).status).toBe(405);
    expect((await service.admin.delete(`${path}/status`)).status).toBe(405);
    expect((await service.admin.put(`${deployments}/none/status`, deployment('none'))).status).toBe(404);
  });
});

describe('generation', () => {
  test('moves with the spec, and with nothing else', async () => {
    const { metadata } = await service.admin.ok('POST', deployments, {
      ...deployment('gen'),
      metadata: { name: 'gen', generation: 40 },
    });
    expect(metadata['generation']).toBe(1);
    const generation = async (body: object): Promise<unknown> =>
      (await service.admin.patch(`${deployments}/gen`, 'merge', body)).json().metadata['generation'];
    expect(await generation({ metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await generation({ spec: { replicas: 6 } })).toBe(2);
    expect(await generation({ spec: { replicas: 6 } })).toBe(2);
    expect(await generation({ metadata: { generation: 9 } })).toBe(2);
  });

  test('immutable fields stay', async () => {
    await service.admin.ok('POST', deployments, deployment('fixed'));
    const body = { spec: { selector: { matchLabels: { app: 'other' } } } };
    const answer = await service.admin.patch(`${deployments}/fixed`, 'merge', body);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('spec.selector')]);
  });
});

describe('scale', () => {
  const path = `${deployments}/scaled/scale`;
  const replicas = async (): Promise<unknown> =>
    ((await service.admin.ok('GET', `${deployments}/scaled`))['spec'] as { replicas: number }).replicas;

  beforeAll(() => service.admin.ok('POST', deployments, deployment('scaled')));

  test('is read, replaced and patched', async () => {
    const scale = await service.admin.ok('GET', path);
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'scaled', namespace: 'writes' },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=scaled' },
    });
    const put = await service.admin.ok('PUT', path, { ...scale, spec: { replicas: 4 } });
    expect([put['spec'], await replicas()]).toEqual([{ replicas: 4 }, 4]);
    expect(put.metadata.resourceVersion).not.toBe(scale.metadata.resourceVersion);
    for (const [kind, body, want] of [
      ['merge', { spec: { replicas: 5 } }, 5],
      ['strategic-merge', { spec: { replicas: 6 } }, 6],
      ['json', [{ op: 'replace', path: '/spec/replicas', value: 7 }], 7],
    ] as const) {
      expect((await service.admin.patch(path, kind, body)).status).toBe(200);
      expect(await replicas()).toBe(want);
    }
    const stale = await service.admin.put(path, { ...scale, spec: { replicas: 1 } });
    expect(stale.status).toBe(409);
  });

  test('moves the generation, and leaves everything else', async () => {
    const before = await service.admin.ok('GET', `${deployments}/scaled`);
    await service.admin.patch(path, 'merge', { spec: { replicas: 11 }, metadata: { labels: { x: 'y' } } });
    const after = await service.admin.ok('GET', `${deployments}/scaled`);
    expect(after.metadata.labels).toEqual(before.metadata.labels);
    expect(Number(after.metadata['generation'])).toBe(Number(before.metadata['generation']) + 1);
    expect(after['spec']).toEqual({ ...(before['spec'] as object), replicas: 11 });
  });

  test.each([
    [{ spec: { replicas: -1 } }, 422],
    [{ spec: { replicas: 'x' } }, 400],
    [{ kind: 'Pod', spec: { replicas: 1 } }, 400],
    [{ metadata: { name: 'other' }, spec: { replicas: 1 } }, 400],
    [{ metadata: { name: 'scaled', uid: 'other' }, spec: { replicas: 1 } }, 409],
  ])('%j is a %d', async (body, code) => {
    const before = await replicas();
    expect((await service.admin.put(path, { metadata: { name: 'scaled' }, ...body })).status).toBe(code);
    expect(await replicas()).toBe(before);
  });
});

describe('bindings', () => {
  test.each([
    ['its own path', (name: string) => `${pods}/${name}/binding`],
    ['the collection', () => '/api/v1/namespaces/writes/bindings'],
  ])('by %s set the node once', async (_where, path) => {
    const name = `bound-${String(path.length)}`;
    await service.admin.ok('POST', pods, pod(name));
    const body = { metadata: { name, annotations: { why: 'test' } }, target: { kind: 'Node', name: 'n1' } };
    expect((await service.admin.post(path(name), body)).status).toBe(201);
    const bound = await service.admin.ok('GET', `${pods}/${name}`);
    expect(bound).toMatchObject({ spec: { nodeName: 'n1' }, metadata: { annotations: { why: 'test' } } });
    expect((await service.admin.post(path(name), body)).status).toBe(409);
  });
});

describe('namespaces/finalize', () => {
  test('changes the finalizers of the spec, and nothing else does', async () => {
    const path = '/api/v1/namespaces/fin';
    const made = await service.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'fin' } });
    expect(made['spec']).toEqual({ finalizers: ['kubernetes'] });
    await service.admin.patch(path, 'merge', { spec: { finalizers: [] } });
    const finalizers = async (): Promise<unknown> => (await service.admin.ok('GET', path))['spec'];
    expect(await finalizers()).toEqual({ finalizers: ['kubernetes'] });
    const body: ApiObject = { ...made, spec: { finalizers: ['kubernetes', 'example.com/more'] } };
    expect((await service.admin.put(`${path}/finalize`, body)).status).toBe(200);
    expect(await finalizers()).toEqual({ finalizers: ['kubernetes', 'example.com/more'] });
    expect((await service.admin.delete(path)).status).toBe(200);
    const terminating = await service.admin.ok('GET', path);
    expect(terminating).toMatchObject({ status: { phase: 'Terminating' } });
    const last = await service.admin.ok('GET', path);
    const { resourceVersion: _version, ...metadata } = last.metadata;
    const emptied = { ...last, metadata, spec: { finalizers: [] } };
    await service.admin.put(`${path}/finalize`, emptied);
    expect((await service.admin.get(path)).status).toBe(404);
  });
});

describe('names and namespaces of body and path', () => {
  test.each([
    ['POST', configMaps, { metadata: { name: 'a', namespace: 'other' } }],
    ['PUT', `${configMaps}/a`, { metadata: { name: 'b' } }],
    ['PUT', `${configMaps}/a`, { metadata: { name: 'a', namespace: 'other' } }],
    ['PUT', `${configMaps}/a`, { metadata: {} }],
    ['PUT', `${configMaps}/a`, {}],
    ['POST', configMaps, { kind: 'Secret', metadata: { name: 'a' } }],
  ])('%s %s with %j is a 400', async (method, path, body) => {
    await service.admin.post(configMaps, { metadata: { name: 'a' } });
    expect((await service.admin.request(method, path, body)).status).toBe(400);
  });

  test('a replacement of what is not there creates only where the kind allows, and never an old version', async () => {
    const leases = '/apis/coordination.orch.io/v1/namespaces/writes/leases';
    const put = async (path: string, metadata: object): Promise<number> =>
      (await service.admin.put(path, { metadata })).status;
    expect(await put(`${configMaps}/new`, { name: 'new' })).toBe(404);
    expect(await put(`${leases}/new`, {})).toBe(400);
    expect(await put(`${leases}/new`, { name: 'new' })).toBe(201);
    expect(await put(`${leases}/old`, { name: 'old', resourceVersion: '5' })).toBe(409);
    expect(await put(`${leases}/old`, { name: 'old', uid: 'u' })).toBe(409);
    expect((await service.admin.get(`${leases}/old`)).status).toBe(404);
  });

  test('deletions answer with what their kind says', async () => {
    const { admin } = service;
    const csiNodes = '/apis/storage.orch.io/v1/csinodes';
    await admin.ok('POST', csiNodes, { metadata: { name: 'c' }, spec: { drivers: [] } });
    expect((await admin.delete(`${csiNodes}/c`)).json()).toMatchObject({ kind: 'CSINode' });
    const attachments = '/apis/storage.orch.io/v1/volumeattachments';
    const spec = { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } };
    await admin.ok('POST', attachments, { metadata: { name: 'v' }, spec });
    expect((await admin.delete(`${attachments}/v`)).json()).toMatchObject({ kind: 'VolumeAttachment' });
    await admin.ok('POST', configMaps, { metadata: { name: 'gone' } });
    expect((await admin.delete(`${configMaps}/gone`)).json()).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'gone', kind: 'configmaps' },
    });
  });
});
