/** A namespace with which the service begins comes back when somebody has deleted it. */
import { startControlPlane } from '../../../src/testing/index.ts';

test('the namespace of node leases is made again', async () => {
  await using plane = await startControlPlane({ clock: 'virtual' });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-node-lease' } };
  const before = await plane.admin.get(namespace);
  await plane.admin.delete(namespace);
  await plane.advance('1m');
  const after = await plane.admin.get(namespace);
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
});
