/** What pods, containers and claims of a namespace with LimitRanges may ask for. */
import { startService, pod, type Service } from '../../support/writes.ts';
import type { ApiObject } from '../../support/client.ts';
import { untilPodsMayRun } from '../../support/default-account.ts';

let service: Service;
const namespace = '/api/v1/namespaces/writes';

beforeAll(async () => {
  service = await startService();
  const container = {
    type: 'Container',
    min: { memory: '16Mi' },
    max: { cpu: '1', memory: '512Mi' },
    default: { cpu: '500m', memory: '128Mi' },
    defaultRequest: { cpu: '100m' },
    maxLimitRequestRatio: { cpu: '5' },
  };
  const whole = { type: 'Pod', max: { cpu: '1500m' } };
  const claim = { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Gi' } };
  const spec = { limits: [container, whole, claim] };
  await service.admin.createSeen(`${namespace}/limitranges`, { metadata: { name: 'bounds' }, spec });
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

function asking(name: string, ...resources: object[]): object {
  const containers = resources.map((r, i) => ({ name: `c${String(i)}`, image: 'image:1', resources: r }));
  return pod(name, { containers });
}

test('containers get what they do not say, and an annotation tells of it', async () => {
  const made = await service.admin.ok('POST', `${namespace}/pods`, asking('plain', {}));
  const { containers } = made['spec'] as { containers: ApiObject[] };
  expect(containers[0]?.['resources']).toEqual({
    requests: { cpu: '100m', memory: '128Mi' },
    limits: { cpu: '500m', memory: '128Mi' },
  });
  expect(made.metadata.annotations).toEqual({
    'orch.io/limit-ranger':
      'LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0',
  });
});

const sound = { limits: { cpu: '800m', memory: '64Mi' }, requests: { cpu: '400m', memory: '64Mi' } };

test.each([
  [
    'maximum',
    [{ limits: { cpu: '2', memory: '64Mi' }, requests: { cpu: '100m', memory: '64Mi' } }],
    '[maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio per Container is 5, ' +
      'but provided ratio is 20.000000, maximum cpu usage per Pod is 1500m, but limit is 2]',
  ],
  [
    'minimum',
    [{ limits: { cpu: '500m', memory: '8Mi' }, requests: { cpu: '100m', memory: '8Mi' } }],
    'minimum memory usage per Container is 16Mi, but request is 8Mi',
  ],
  [
    'ratio',
    [{ limits: { cpu: '1' }, requests: { cpu: '100m' } }],
    'cpu max limit to request ratio per Container is 5, but provided ratio is 10.000000',
  ],
  ['pod', [sound, sound], 'maximum cpu usage per Pod is 1500m, but limit is 1600m'],
])('a pod outside of the %s is 403', async (name, resources, problem) => {
  const answer = await service.admin.post(`${namespace}/pods`, asking(name, ...resources));
  expect([answer.status, answer.json()['message']]).toEqual([403, `pods "${name}" is forbidden: ${problem}`]);
});

test('claims are bounded when they are made and when they change', async () => {
  const claim = (storage: string): object => ({
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });
  const path = `${namespace}/persistentvolumeclaims`;
  const small = await service.admin.post(path, claim('512Mi'));
  expect(small.json()['message']).toBe(
    'persistentvolumeclaims "data" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi',
  );
  const large = await service.admin.post(`${path}?dryRun=All`, claim('11Gi'));
  expect(large.json()['message']).toBe(
    'persistentvolumeclaims "data" is forbidden: maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 11Gi',
  );
  expect((await service.admin.post(path, claim('5Gi'))).status).toBe(201);
});

test('a pod that runs already may change whatever the ranges say later', async () => {
  const { admin } = service;
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'later' } });
  const path = '/api/v1/namespaces/later';
  await untilPodsMayRun(admin, 'later');
  await admin.ok('POST', `${path}/pods`, asking('old', {}));
  const spec = { limits: [{ type: 'Container', min: { cpu: '1' } }] };
  await admin.createSeen(`${path}/limitranges`, { metadata: { name: 'min' }, spec });
  const patched = await admin.patch(`${path}/pods/old`, 'merge', {
    metadata: { labels: { a: 'b' } },
  });
  expect(patched.status).toBe(200);
});

test('a namespace of thousands of limits: pods are made as elsewhere, and others are served meanwhile', async () => {
  const namespaces = '/api/v1/namespaces';
  await service.admin.ok('POST', namespaces, { metadata: { name: 'bounded' } });
  await untilPodsMayRun(service.admin, 'bounded');
  const of = (value: string): object =>
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`a.test/r${String(i)}`, value]));
  const spec = { limits: [{ type: 'Container', max: of('5'), min: of('1') }] };
  for (let i = 0; i < 30; i += 1)
    await service.admin.createSeen(`${namespaces}/bounded/limitranges`, {
      metadata: { name: `l${i}` },
      spec,
    });
  const made = await service.admin.ok('POST', `${namespaces}/bounded/pods`, asking('much', {}));
  const [container] = (made['spec'] as { containers: { resources: { limits: object } }[] }).containers;
  expect(Object.keys(container?.resources.limits ?? {})).toHaveLength(200);
});
