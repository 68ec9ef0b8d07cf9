/** Patches of every kind against a stored object: locks, missing objects, limits, refusals without a trace. */
import type { Answer } from '../../support/client.ts';
import {
  configMaps,
  deployment,
  deployments,
  revisionOf,
  startService,
  type Service,
} from '../../support/writes.ts';

let service: Service;
let count = 0;

beforeAll(async () => {
  service = await startService([
    '--controllers=-namespace,-garbagecollector',
    '--disable-admission-plugins=ServiceAccount',
  ]);
});
afterAll(() => service[Symbol.asyncDispose]());

async function made(): Promise<string> {
  const name = `m${String(++count)}`;
  await service.admin.ok('POST', configMaps, { metadata: { name }, data: { k: 'v' } });
  return `${configMaps}/${name}`;
}

/** Sets data.k and, if given, the version of the object that is meant. */
const setters: Readonly<Record<string, (value: string, version?: string | null) => object>> = {
  json: (value, version) => [
    { op: 'replace', path: '/data/k', value },
    ...(version === undefined ? [] : [{ op: 'replace', path: '/metadata/resourceVersion', value: version }]),
  ],
  merge: (value, resourceVersion) => ({
    data: { k: value },
    ...(resourceVersion !== undefined && { metadata: { resourceVersion } }),
  }),
  'strategic-merge': (value, resourceVersion) => ({
    data: { k: value },
    ...(resourceVersion !== undefined && { metadata: { resourceVersion } }),
  }),
};
const kinds = Object.keys(setters);
const set = (path: string, kind: string, value: string, version?: string | null): Promise<Answer> =>
  service.admin.patch(path, kind, setters[kind]?.(value, version) ?? {});

describe.each(kinds)('a %s patch', (kind) => {
  test('without a version is done on the newest state', async () => {
    const path = await made();
    const before = await service.admin.ok('GET', path);
    const answer = await set(path, kind, 'w');
    expect([answer.status, answer.json()['data']]).toEqual([200, { k: 'w' }]);
    expect(answer.json().metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
  });

  test('with the current version is done, with an old one it is a conflict', async () => {
    const path = await made();
    const { metadata } = await service.admin.ok('GET', path);
    expect((await set(path, kind, 'w', metadata.resourceVersion)).status).toBe(200);
    const stale = await set(path, kind, 'x', metadata.resourceVersion);
    expect([stale.status, stale.json()['reason']]).toEqual([409, 'Conflict']);
    expect((await service.admin.ok('GET', path))['data']).toEqual({ k: 'w' });
  });

  test('with a version that is none is 400 or 422', async () => {
    const answer = await set(await made(), kind, 'w', 'abc');
    expect([400, 422]).toContain(answer.status);
  });

  test('of a missing object is 404', async () => {
    expect((await set(`${configMaps}/none`, kind, 'w')).status).toBe(404);
  });

  test('that changes nothing keeps the version, and writes nothing', async () => {
    const path = await made();
    const { metadata } = await service.admin.ok('GET', path);
    const before = await revisionOf(service, configMaps);
    const answer = await set(path, kind, 'v');
    expect(answer.json().metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(await revisionOf(service, configMaps)).toBe(before);
  });

  test('many at once are all done', async () => {
    const path = await made();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        service.admin.patch(path, kind, kind === 'json' ? addition(i) : { data: { [`n${String(i)}`]: 'x' } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(Object.keys((await service.admin.ok('GET', path))['data'] as object)).toHaveLength(21);
  });

  test('cannot change what only the server sets, nor who the object is', async () => {
    const path = await made();
    const before = await service.admin.ok('GET', path);
    const metadata = {
      creationTimestamp: '2001-01-01T00:00:00Z',
      generation: 7,
      deletionTimestamp: '2001-01-01T00:00:00Z',
    };
    const body =
      kind === 'json'
        ? Object.entries(metadata).map(([k, value]) => ({ op: 'add', path: `/metadata/${k}`, value }))
        : { metadata };
    await service.admin.patch(path, kind, body);
    expect((await service.admin.ok('GET', path)).metadata).toEqual(before.metadata);
    const renamed =
      kind === 'json'
        ? [{ op: 'replace', path: '/metadata/name', value: 'other' }]
        : { metadata: { name: 'other' } };
    expect((await service.admin.patch(path, kind, renamed)).status).toBe(400);
  });

  test.each(['__proto__', 'constructor', 'prototype'])('takes the key %s for data', async (key) => {
    const path = await made();
    const body =
      kind === 'json'
        ? `[{"op":"add","path":"/data/${key}","value":"x"}]`
        : `{"data":{"${key}":"x"},"${key}":{"polluted":true}}`;
    const answer = await service.admin.patch(path, kind, body);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`"${key}":"x"`);
    expect(answer.text).not.toContain('polluted');
  });

  test('with several errors reports all of them, and changes nothing', async () => {
    const path = await made();
    const before = (await service.admin.get(path)).text;
    const labels = { 'not a key!': 'x', fine: 'not a value!' };
    const body =
      kind === 'json'
        ? [
            { op: 'replace', path: '/data/k', value: 'w' },
            { op: 'add', path: '/metadata/labels', value: labels },
          ]
        : { data: { k: 'w' }, metadata: { labels } };
    const answer = await service.admin.patch(path, kind, body);
    expect(answer.status).toBe(422);
    const { details } = answer.json() as unknown as { details: { causes: unknown[] } };
    expect(details.causes.length).toBeGreaterThanOrEqual(2);
    expect((await service.admin.get(path)).text).toBe(before);
  });
});

function addition(i: number): object {
  return [{ op: 'add', path: `/data/n${String(i)}`, value: 'x' }];
}

interface RejectReason {
  readonly name: string;
  readonly kind: string;
  readonly body: string;
  readonly want: number;
}

const copies = Array.from({ length: 40 }, (_, i) => ({
  op: 'copy',
  from: '/data',
  path: `/data/c${String(i)}`,
}));
const refusals: readonly RejectReason[] = [
  { name: 'a failed test', kind: 'json', body: '[{"op":"test","path":"/data/k","value":"x"}]', want: 422 },
  {
    ...{ name: 'a failed test after a change', kind: 'json', want: 422 },
    body: '[{"op":"remove","path":"/data/k"},{"op":"test","path":"/data/k","value":"v"}]',
  },
  { name: 'a path to nothing', kind: 'json', body: '[{"op":"remove","path":"/data/none/x"}]', want: 422 },
  { name: 'an operation that is none', kind: 'json', body: '[{"op":"fly","path":"/data"}]', want: 400 },
  { name: 'no list', kind: 'json', body: '{}', want: 400 },
  { name: 'copies that double each time', kind: 'json', body: JSON.stringify(copies), want: 413 },
  {
    ...{ name: 'too many operations', kind: 'json', want: 413 },
    body: JSON.stringify(Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/k', value: 'v' }))),
  },
  { name: 'no object', kind: 'merge', body: '[]', want: 400 },
  { name: 'a wrong type', kind: 'merge', body: '{"data":7}', want: 422 },
  { name: 'a wrong type', kind: 'strategic-merge', body: '{"data":{"k":7}}', want: 422 },
  { name: 'a wrong type', kind: 'json', body: '[{"op":"add","path":"/data/k","value":7}]', want: 422 },
  { name: 'a name taken away', kind: 'merge', body: '{"metadata":{"name":null}}', want: 400 },
  { name: 'everything taken away', kind: 'json', body: '[{"op":"remove","path":"/metadata"}]', want: 400 },
  { name: 'another kind', kind: 'merge', body: '{"kind":"Pod"}', want: 400 },
  { name: 'nothing', kind: 'merge', body: '', want: 400 },
  { name: 'deep nesting', kind: 'merge', body: `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`, want: 400 },
  { name: 'an unknown directive', kind: 'strategic-merge', body: '{"data":{"$patch":"fly"}}', want: 400 },
];

test.each(refusals)('$kind: $name is a $want, and leaves no trace', async ({ kind, body, want }) => {
  const path = await made();
  const before = (await service.admin.get(path)).text;
  const answer = await service.admin.patch(path, kind, body);
  expect(answer.status).toBe(want);
  expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code: want });
  expect((await service.admin.get(path)).text).toBe(before);
});

test('every invalid value of a patch is reported', async () => {
  await service.admin.ok('POST', deployments, deployment('unfit'));
  const body = { spec: { replicas: 'x', paused: 'y' } };
  const answer = await service.admin.patch(`${deployments}/unfit`, 'merge', body);
  expect([answer.status, answer.json()['reason']]).toEqual([422, 'Invalid']);
  expect(answer.json()).toMatchObject({
    details: {
      name: 'unfit',
      causes: [
        { field: 'patch', message: 'Invalid value: spec.replicas: expected integer, got string "x"' },
        { field: 'patch', message: 'Invalid value: spec.paused: expected boolean, got string "y"' },
      ],
    },
  });
  const scale = await service.admin.patch(`${deployments}/unfit/scale`, 'merge', { spec: { replicas: 'x' } });
  expect([scale.status, scale.json()['reason']]).toEqual([422, 'Invalid']);
});

test.each(['application/json', 'application/yaml', 'text/plain', 'application/patch+json', ''])(
  'a patch of type "%s" is 415 and names those that are taken',
  async (type) => {
    const answer = await service.admin.request('PATCH', await made(), '{}', { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(answer.text).toContain('application/merge-patch+json');
    expect(answer.text).toContain('application/apply-patch+yaml');
  },
);

test('the media type of a patch is judged before its options', async () => {
  const path = `${await made()}?dryRun=x`;
  const answer = await service.admin.request('PATCH', path, '{}', { 'content-type': 'text/plain' });
  expect(answer.status).toBe(415);
});

test('a strategic merge patch of another kind changes the object that its path names', async () => {
  const other = { apiVersion: 'extensions/v1beta1', kind: 'Scale', data: { k: 'w' } };
  const answer = await service.admin.patch(await made(), 'strategic-merge', other);
  expect([answer.status, answer.json().kind, answer.json()['data']]).toEqual([200, 'ConfigMap', { k: 'w' }]);
});

test('strategic merge merges lists by the keys of the catalogue, merge patch replaces them', async () => {
  await service.admin.ok('POST', deployments, deployment('lists'));
  const path = `${deployments}/lists`;
  const containers = [{ name: 'sidecar', image: 'image:2' }];
  const body = { spec: { template: { spec: { containers } } } };
  const names = (answer: Answer): string[] => {
    const { spec } = answer.json() as unknown as {
      spec: { template: { spec: { containers: { name: string }[] } } };
    };
    return spec.template.spec.containers.map(({ name }) => name);
  };
  expect(names(await service.admin.patch(path, 'strategic-merge', body)).sort()).toEqual(['main', 'sidecar']);
  const gone = { spec: { template: { spec: { containers: [{ name: 'main', $patch: 'delete' }] } } } };
  expect(names(await service.admin.patch(path, 'strategic-merge', gone))).toEqual(['sidecar']);
  expect(
    names(
      await service.admin.patch(path, 'merge', {
        spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } },
      }),
    ),
  ).toEqual(['c']);
});
