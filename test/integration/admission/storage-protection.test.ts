/** StorageObjectInUseProtection with its controllers: claims and volumes stay while they are used, and go after that. */
import { pod, startService, type Service } from '../../support/writes.ts';
import { waitFor } from '../../support/wait-for.ts';

let service: Service;
const claims = '/api/v1/namespaces/writes/persistentvolumeclaims';
const volumes = '/api/v1/persistentvolumes';
const pods = '/api/v1/namespaces/writes/pods';
const now = { gracePeriodSeconds: 0 };

beforeAll(async () => {
  service = await startService([
    '--controllers=pvc-protection,pv-protection',
    '--disable-admission-plugins=ServiceAccount',
  ]);
}, 60_000);

afterAll(() => service[Symbol.asyncDispose]());

async function makeClaim(name: string, metadata: object = {}): Promise<string[] | undefined> {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const made = await service.admin.ok('POST', claims, { metadata: { name, ...metadata }, spec });
  return made.metadata['finalizers'] as string[] | undefined;
}

async function makeVolume(name: string): Promise<void> {
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } };
  const made = await service.admin.ok('POST', volumes, { metadata: { name }, spec });
  expect(made.metadata['finalizers']).toEqual(['orch.io/pv-protection']);
}

function user(name: string, claimName: string, nodeName?: string): object {
  const volume = { name: 'data', persistentVolumeClaim: { claimName } };
  return pod(name, { volumes: [volume], ...(nodeName !== undefined && { nodeName }) });
}

async function isGone(path: string): Promise<boolean> {
  return (await service.admin.get(path)).status === 404;
}

test('new claims get the finalizer once, behind those that they have', async () => {
  expect(await makeClaim('fresh')).toEqual(['orch.io/pvc-protection']);
  expect(await makeClaim('held', { finalizers: ['example.com/hold'] })).toEqual([
    'example.com/hold',
    'orch.io/pvc-protection',
  ]);
  expect(await makeClaim('same', { finalizers: ['orch.io/pvc-protection'] })).toEqual([
    'orch.io/pvc-protection',
  ]);
});

test('a claim that nothing uses goes, and so does one whose pods have no node', async () => {
  await makeClaim('unused');
  await makeClaim('waiting');
  await service.admin.ok('POST', pods, user('waits', 'waiting'));
  for (const name of ['unused', 'waiting']) {
    expect((await service.admin.delete(`${claims}/${name}`)).status).toBe(200);
    await waitFor(`${name} to go`, () => isGone(`${claims}/${name}`));
  }
});

test('a claim that a pod uses stays until the pod is gone, also one that has ended', async () => {
  await makeClaim('used');
  await makeClaim('witness');
  await service.admin.ok('POST', pods, user('uses', 'used', 'n1'));
  expect((await service.admin.delete(`${claims}/used`)).status).toBe(200);
  await service.admin.patch(`${pods}/uses/status`, 'merge', { status: { phase: 'Succeeded' } });
  // Whoever comes later is through: the controller has looked at the one before.
  await service.admin.delete(`${claims}/witness`);
  await waitFor('the witness to go', () => isGone(`${claims}/witness`));
  const kept = await service.admin.ok('GET', `${claims}/used`);
  expect(kept.metadata['deletionTimestamp']).toEqual(expect.any(String));
  expect(kept.metadata['finalizers']).toEqual(['orch.io/pvc-protection']);
  await service.admin.delete(`${pods}/uses`, now);
  await waitFor('the claim to go', () => isGone(`${claims}/used`));
});

test('the claim of an ephemeral volume stays with its pod; the name of one alone makes no user', async () => {
  const { admin } = service;
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const volumes = [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec } } }];
  const made = await admin.ok('POST', pods, pod('owner', { nodeName: 'n1', volumes }));
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'owner', uid: made.metadata.uid, controller: true };
  await makeClaim('owner-data', { ownerReferences: [owner] });
  await makeClaim('owner-other', { ownerReferences: [owner] });
  for (const name of ['owner-data', 'owner-other']) await admin.delete(`${claims}/${name}`);
  await waitFor('the claim of no volume to go', () => isGone(`${claims}/owner-other`));
  expect((await admin.get(`${claims}/owner-data`)).status).toBe(200);
  await admin.delete(`${pods}/owner`, now);
  await waitFor('the claim to go', () => isGone(`${claims}/owner-data`));
});

test('a volume stays while it is bound', async () => {
  await makeVolume('free');
  await makeVolume('bound');
  const phase = (to: string): object => ({ status: { phase: to } });
  await service.admin.patch(`${volumes}/bound/status`, 'merge', phase('Bound'));
  for (const name of ['bound', 'free'])
    expect((await service.admin.delete(`${volumes}/${name}`)).status).toBe(200);
  await waitFor('the free volume to go', () => isGone(`${volumes}/free`));
  expect((await service.admin.get(`${volumes}/bound`)).status).toBe(200);
  await service.admin.patch(`${volumes}/bound/status`, 'merge', phase('Released'));
  await waitFor('the volume to go', () => isGone(`${volumes}/bound`));
});

test('what came to be without the finalizer gets it', async () => {
  await makeClaim('bare');
  const none = { metadata: { finalizers: [] } };
  expect((await service.admin.patch(`${claims}/bare`, 'merge', none)).status).toBe(200);
  await waitFor('the finalizer', async () => {
    const { metadata } = await service.admin.ok('GET', `${claims}/bare`);
    return ((metadata['finalizers'] ?? []) as string[]).includes('orch.io/pvc-protection');
  });
});
