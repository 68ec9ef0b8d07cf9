/** Dry runs: everything but the write, with the status code and the object of the real thing. */
import type { Answer } from '../../support/client.ts';
import {
  comparable,
  configMaps,
  deployment,
  deployments,
  namespacePath,
  pod,
  pods,
  revisionOf,
  startService,
  type Service,
} from '../../support/writes.ts';

let service: Service;

beforeAll(async () => {
  // Nobody else may write: controllers have leases, and fairness tells the state of its flow schemas after the start.
  service = await startService([
    '--controllers=-namespace,-garbagecollector',
    '--enable-priority-and-fairness=false',
    '--disable-admission-plugins=ServiceAccount',
  ]);
  const { admin } = service;
  for (const name of ['a', 'b']) await admin.ok('POST', configMaps, { metadata: { name }, data: { k: 'v' } });
  await admin.ok('POST', deployments, deployment('d'));
  await admin.ok('POST', pods, pod('p', { nodeName: 'n' }));
  await admin.ok('POST', configMaps, { metadata: { name: 'held', finalizers: ['example.com/x'] } });
});
afterAll(() => service[Symbol.asyncDispose]());

interface Way {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: object;
  readonly want: number;
}

const patch = (kind: string): string => `application/${kind}-patch+json`;
const leases = '/apis/coordination.orch.io/v1/namespaces/writes/leases';

/** The real request follows the dry one, so the order of the rows tells a story. */
const ways: readonly Way[] = [
  { name: 'create', method: 'POST', path: configMaps, body: { metadata: { name: 'new' } }, want: 201 },
  {
    name: 'create of what exists',
    method: 'POST',
    path: configMaps,
    body: { metadata: { name: 'a' } },
    want: 409,
  },
  {
    name: 'create of what is wrong',
    method: 'POST',
    path: configMaps,
    body: { metadata: { name: 'A' } },
    want: 422,
  },
  {
    name: 'replace',
    method: 'PUT',
    path: `${configMaps}/a`,
    body: { metadata: { name: 'a' }, data: { k: 'w' } },
    want: 200,
  },
  {
    name: 'replace of nothing',
    method: 'PUT',
    path: `${configMaps}/none`,
    body: { metadata: { name: 'none' } },
    want: 404,
  },
  {
    name: 'replace that creates',
    method: 'PUT',
    path: `${leases}/l`,
    body: { metadata: { name: 'l' }, spec: {} },
    want: 201,
  },
  {
    ...{ name: 'JSON patch', method: 'PATCH', path: `${configMaps}/a`, type: patch('json'), want: 200 },
    body: [{ op: 'add', path: '/data/l', value: '1' }],
  },
  {
    ...{ name: 'JSON patch whose test fails', method: 'PATCH', path: `${configMaps}/a`, type: patch('json') },
    ...{ body: [{ op: 'test', path: '/data/l', value: '2' }], want: 422 },
  },
  {
    ...{ name: 'merge patch', method: 'PATCH', path: `${configMaps}/a`, type: patch('merge'), want: 200 },
    body: { data: { m: '1' } },
  },
  {
    ...{ name: 'strategic merge', method: 'PATCH', path: `${deployments}/d`, type: patch('strategic-merge') },
    ...{ body: { spec: { paused: true } }, want: 200 },
  },
  {
    ...{
      name: 'apply',
      method: 'PATCH',
      path: `${configMaps}/applied`,
      type: 'application/apply-patch+yaml',
    },
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { k: 'v' } },
    want: 201,
  },
  {
    ...{ name: 'apply with a conflict', method: 'PATCH', path: `${configMaps}/a`, want: 409 },
    ...{ type: 'application/apply-patch+yaml' },
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'other' } },
  },
  {
    ...{ name: 'status', method: 'PATCH', path: `${deployments}/d/status`, type: patch('merge'), want: 200 },
    body: { status: { replicas: 2 } },
  },
  {
    ...{ name: 'scale', method: 'PATCH', path: `${deployments}/d/scale`, type: patch('merge'), want: 200 },
    body: { spec: { replicas: 5 } },
  },
  {
    ...{ name: 'binding', method: 'POST', path: `${pods}/unbound/binding`, want: 404 },
    body: { target: { kind: 'Node', name: 'n' } },
  },
  { name: 'delete that marks', method: 'DELETE', path: `${configMaps}/held`, want: 200 },
  { name: 'graceful delete', method: 'DELETE', path: `${pods}/p`, want: 200 },
  {
    name: 'delete in the foreground',
    method: 'DELETE',
    path: `${configMaps}/b?propagationPolicy=Foreground`,
    want: 202,
  },
  { name: 'delete', method: 'DELETE', path: `${configMaps}/a`, want: 200 },
  { name: 'delete of nothing', method: 'DELETE', path: `${configMaps}/a`, want: 404 },
  { name: 'delete of a collection', method: 'DELETE', path: `${configMaps}?limit=2`, want: 200 },
];

function send({ method, path, body, type = 'application/json' }: Way, query: string): Promise<Answer> {
  const manager = method === 'DELETE' ? '' : 'fieldManager=m';
  const separator = path.includes('?') ? '&' : '?';
  return service.admin.request(method, `${path}${separator}${manager}${query}`, body, {
    'content-type': type,
  });
}

/** Times are of the second in which they are made. */
function timeless(answer: Answer): unknown {
  const { metadata, ...object } = comparable(answer);
  const { deletionTimestamp, ...rest } = metadata;
  return { ...object, metadata: { ...rest, isDeleted: deletionTimestamp != null } };
}

test.each(ways)('$name', async (way) => {
  const before = await revisionOf(service, namespacePath.replace(/\/writes$/, ''));
  const dry = await send(way, '&dryRun=All');
  expect(await revisionOf(service, namespacePath.replace(/\/writes$/, ''))).toBe(before);
  const real = await send(way, '');
  expect([dry.status, real.status]).toEqual([way.want, way.want]);
  expect(timeless(dry)).toEqual(timeless(real));
});

test.each(ways)('$name: a dry run that does not exist is 422, as an empty one', async (way) => {
  const wrong = await send(way, '&dryRun=Some');
  expect([wrong.status, wrong.json()['reason']]).toEqual([422, 'Invalid']);
  const empty = await send(way, '&dryRun=');
  expect([empty.status, empty.json()['reason']]).toEqual([422, 'Invalid']);
});
