/** Many cases from one prepared state: each begins where the preparation ended, in milliseconds. */
import type { V1ResourceQuota } from '@kubernetes/client-node';
import { startControlPlane, type ControlPlane, type Snapshot } from 'orch-apiserver/testing';

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'few', namespace: 'shop' },
  spec: { hard: { configmaps: '3' } },
};
const map = (name: string) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name, namespace: 'shop' },
});

let controlPlane: ControlPlane;
let prepared: Snapshot;

beforeAll(async () => {
  controlPlane = await startControlPlane({ objects: [namespace, quota] });
  // One is of the cluster's authority (kube-root-ca.crt), one of the shop.
  await controlPlane.admin.create(map('first'));
  await controlPlane.until<V1ResourceQuota>(quota, (found) => found?.status?.used?.['configmaps'] === '2');
  prepared = await controlPlane.snapshot();
});

beforeEach(() => controlPlane.restore(prepared));

afterAll(() => controlPlane.stop());

test('the quota has room for one', async () => {
  await controlPlane.admin.create(map('second'));
  await expect(controlPlane.admin.create(map('third'))).rejects.toThrow(/exceeded quota: few/);
});

test('what the case before used is free again', async () => {
  await controlPlane.admin.create(map('third'));
});

test('a fork goes its own way', async () => {
  await using fork = await controlPlane.fork(prepared);
  await fork.admin.delete(namespace);
  await fork.until(namespace, (found) => found === undefined);
  expect(await controlPlane.admin.get(map('first'))).toMatchObject(map('first'));
});
