/** Bodies that contradict their request: names, namespaces, kinds of options. Answers are those of Kubernetes 1.21. */
import { configMaps, deployment, deployments, startService, type Service } from '../../support/writes.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.admin.ok('POST', configMaps, { metadata: { name: 'named' } });
  await service.admin.ok('POST', deployments, deployment('scaled'));
});
afterAll(() => service[Symbol.asyncDispose]());

const named = `${configMaps}/named`;
const scale = `${deployments}/scaled/scale`;
const onRequest = 'the namespace of the object (other) does not match the namespace on the request (writes)';
const elsewhere = { name: 'named', namespace: 'other' };
const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: elsewhere };

describe('another namespace than the path is 400', () => {
  test.each([
    ['PUT', named, { metadata: elsewhere }],
    ['PUT', scale, { metadata: { name: 'scaled', namespace: 'other' }, spec: { replicas: 1 } }],
  ])('%s %s', async (method, path, body) => {
    const answer = await service.admin.request(method, path, body);
    expect([answer.status, answer.json()['message']]).toEqual([400, onRequest]);
  });

  test.each([
    ['merge', named, { metadata: { namespace: 'other' } }],
    ['strategic-merge', named, { metadata: { namespace: 'other' } }],
    ['json', named, [{ op: 'replace', path: '/metadata/namespace', value: 'other' }]],
    ['apply', `${named}?fieldManager=m`, config],
    [
      'apply',
      `${configMaps}/missing?fieldManager=m`,
      { ...config, metadata: { ...elsewhere, name: 'missing' } },
    ],
    ['merge', scale, { metadata: { namespace: 'other' } }],
  ])('%s patch of %s', async (kind, path, body) => {
    const answer = await service.admin.patch(path, kind, body);
    expect([answer.status, answer.json()['message']]).toEqual([400, onRequest]);
  });

  test('POST', async () => {
    const answer = await service.admin.post(configMaps, { metadata: { name: 'new', namespace: 'other' } });
    const message = 'the namespace of the provided object does not match the namespace sent on the request';
    expect([answer.status, answer.json()['message']]).toEqual([400, message]);
  });
});

describe('a cluster-scoped object has no namespace, whatever was sent', () => {
  const classes = '/apis/scheduling.orch.io/v1/priorityclasses';
  const head = { apiVersion: 'scheduling.orch.io/v1', kind: 'PriorityClass', value: 1 };
  const body = (name: string): object => ({ ...head, metadata: { name, namespace: 'writes' } });

  test('POST, PUT, patches and apply', async () => {
    const { admin } = service;
    const answers = [
      await admin.post(classes, body('a')),
      await admin.put(`${classes}/a`, body('a')),
      await admin.patch(`${classes}/a`, 'merge', { metadata: { namespace: 'writes' } }),
      await admin.patch(`${classes}/a?fieldManager=m`, 'apply', body('a')),
      await admin.patch(`${classes}/b?fieldManager=m`, 'apply', body('b')),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 201]);
    for (const answer of answers) expect(answer.json().metadata).not.toHaveProperty('namespace');
  });
});

describe('a body without a name is 400', () => {
  test.each([
    ['PUT', named, 'named', {}],
    ['PUT', scale, 'scaled', { spec: { replicas: 1 } }],
  ])('%s %s', async (method, path, name, body) => {
    const answer = await service.admin.request(method, path, body);
    const message = `the name of the object (${name} based on URL) was undeterminable: name must be provided`;
    expect([answer.status, answer.json()['message']]).toEqual([400, message]);
  });
});

describe('DeleteOptions', () => {
  test.each([
    [{ kind: 'DeleteOptions', apiVersion: 'nope/v9' }],
    [{ kind: 'DeleteOptions', apiVersion: 'a/b/c' }],
    [{ kind: 'Options', apiVersion: 'v1' }],
    [{ apiVersion: 7 }],
  ])('%j is 400, and nothing is deleted', async (body) => {
    expect((await service.admin.delete(named, body)).status).toBe(400);
    expect((await service.admin.get(named)).status).toBe(200);
  });

  test.each(['', 'v1', 'meta.orch.io/v1', 'apps/v1'])('of version "%s" are read', async (apiVersion) => {
    await service.admin.ok('POST', configMaps, { metadata: { name: 'goes' } });
    const answer = await service.admin.delete(`${configMaps}/goes`, { kind: 'DeleteOptions', apiVersion });
    expect(answer.status).toBe(200);
  });
});

test('an unknown dryRun value is reported with all sent values', async () => {
  const said = (values: string): string =>
    `dryRun: Unsupported value: []string{${values}}: supported values: "All"`;
  const body = { metadata: { name: 'dry' } };
  const invalid = 'CreateOptions.meta.orch.io "" is invalid: ';
  const wrong = await service.admin.post(`${configMaps}?dryRun=All&dryRun=some`, body);
  expect([wrong.status, wrong.json()['message']]).toEqual([422, `${invalid}${said('"All", "some"')}`]);
  const empty = await service.admin.post(`${configMaps}?dryRun=`, body);
  expect(empty.status).toBe(422);
  expect(empty.json()['message']).toBe(`${invalid}${said('""')}`);
});

describe('apply of a Scale', () => {
  const applied = (replicas: number, query = ''): Promise<{ status: number; text: string }> =>
    service.admin.patch(`${scale}?fieldManager=m${query}`, 'apply', {
      ...{ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'scaled' } },
      spec: { replicas },
    });
  const replicas = async (): Promise<unknown> =>
    ((await service.admin.ok('GET', scale))['spec'] as { replicas: number }).replicas;

  test('of the number that is there is no change', async () => {
    const before = await service.admin.ok('GET', `${deployments}/scaled`);
    expect((await applied(2)).status).toBe(200);
    expect(await service.admin.ok('GET', `${deployments}/scaled`)).toEqual(before);
  });

  test('an apply of another number conflicts with earlier updaters, unless forced', async () => {
    const refused = await applied(3);
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      409,
      expect.objectContaining({
        message:
          'Apply failed with 1 conflict: conflict with "before-first-apply" using autoscaling/v1: .spec.replicas',
      }),
    ]);
    const dry = await applied(3, '&force=true&dryRun=All');
    expect([dry.status, await replicas()]).toEqual([200, 2]);
    const forced = await applied(3, '&force=true');
    expect([forced.status, JSON.parse(forced.text), await replicas()]).toEqual([
      200,
      expect.objectContaining({ kind: 'Scale', spec: { replicas: 3 } }),
      3,
    ]);
  });

  test('is held to the rules of every apply', async () => {
    const { admin } = service;
    const head = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'scaled' } };
    const codes: number[] = [];
    for (const [query, body] of [
      ['', head],
      ['?fieldManager=m', { ...head, kind: 'Deployment' }],
      ['?fieldManager=m', { ...head, apiVersion: 'autoscaling/v2beta2' }],
      ['?fieldManager=m', { ...head, spec: { colour: 'red' } }],
      ['?fieldManager=m', { ...head, metadata: { name: 'scaled', managedFields: [] } }],
      ['?fieldManager=m', { ...head, metadata: { name: 'other' } }],
    ] as const) {
      codes.push((await admin.patch(`${scale}${query}`, 'apply', body)).status);
    }
    expect(codes).toEqual([422, 400, 400, 400, 400, 400]);
    const missing = await admin.patch(`${deployments}/none/scale?fieldManager=m`, 'apply', {
      ...head,
      metadata: { name: 'none' },
    });
    expect(missing.status).toBe(404);
  });
});
