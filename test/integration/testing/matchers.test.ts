/** Matchers on what the service gives. */
import { startControlPlane, type ApiObject, type ControlPlane } from '../../../src/testing/index.ts';
import { matchers } from '../../../src/testing/matchers/index.ts';

expect.extend(matchers);

const map = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { level: 'low', 'a.b': '1' },
};

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});

afterAll(async () => {
  await controlPlane.stop();
});

afterEach(async () => {
  await controlPlane.reset();
});

test('who manages fields of an object that was applied, and changed by another', async () => {
  const { admin } = controlPlane;
  await admin.apply(map, { fieldManager: 'folder' });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', finalizers: ['shop.test/fold'], labels: { 'shop.test/size': 'l' } },
    spec: {
      containers: [{ name: 'main', image: 'busybox', ports: [{ containerPort: 80, protocol: 'TCP' }] }],
    },
  };
  const applied = await admin.apply(pod, { fieldManager: 'folder' });
  expect(applied).toBeManagedBy('folder', [
    'spec.containers[name=main].image',
    'spec.containers[name=main].ports[containerPort=80,protocol=TCP]',
    'metadata.finalizers["shop.test/fold"]',
    'metadata.labels["shop.test/size"]',
  ]);
  expect(await admin.get(map)).toBeManagedBy('folder', ['data.level', 'data["a.b"]']);
  expect(applied).not.toBeManagedBy('folder', 'spec.nodeName');
  await expect(
    admin.apply({ ...map, data: { level: 'high' } }, { fieldManager: 'other' }),
  ).rejects.toBeRefusedWith('Conflict', /conflict with "folder"/);
});

test('owners, deletion and refusals', async () => {
  const { admin } = controlPlane;
  const owner = await admin.create<ApiObject>({ ...map, metadata: { name: 'owner' } });
  const { apiVersion, kind, metadata } = owner;
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  const owned = await admin.create<ApiObject>({
    ...map,
    metadata: { name: 'owned', ownerReferences: [reference], finalizers: ['shop.test/fold'] },
  });
  expect(owned).toBeOwnedBy(owner, { controller: true });
  expect(owned).not.toBeOwnedBy({ kind: 'ConfigMap', name: 'other' });
  expect(owned).not.toBeTerminating();
  await admin.delete(owner);
  await controlPlane.settled();
  const ending = await admin.get({ ...map, metadata: { name: 'owned' } });
  expect(ending).toBeTerminating();
  expect(ending).toHaveFinalizer('shop.test/fold');
  await expect(admin.get({ ...map, metadata: { name: 'owner' } })).rejects.toBeRefusedWith(404);
});

test('conditions of a namespace that cannot end', async () => {
  const { admin } = controlPlane;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'held' } };
  await admin.create(namespace);
  await admin.create({
    ...map,
    metadata: { name: 'held', namespace: 'held', finalizers: ['shop.test/fold'] },
  });
  await admin.delete(namespace);
  const found = await controlPlane.until(
    namespace,
    (each) => matchers.toHaveCondition(each, 'NamespaceFinalizersRemaining').pass,
  );
  expect(found).toHaveCondition('NamespaceFinalizersRemaining', 'True', { message: 'shop.test/fold' });
  expect(found).not.toHaveCondition('NamespaceDeletionContentFailure');
});
