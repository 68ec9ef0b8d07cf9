/** `kubectl apply --server-side`, unchanged, against a replica. */
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { makeKubectl, type Kubectl } from './support/kubectl.ts';

let etcd: EtcdCluster;
let replica: Replica;
let kubectl: Kubectl;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  replica = await startReplica({ etcd, naming: 'kubernetes', prefix: '/apply' });
  kubectl = await makeKubectl(replica);
});

afterAll(async () => {
  await kubectl.close();
  await replica.close();
  await etcd.close();
});

const manifest = (data: Record<string, string>): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data });

const apply = (data: Record<string, string>, ...args: string[]): ReturnType<Kubectl['run']> =>
  kubectl.run(['apply', '--server-side', '--validate=false', '-f', '-', ...args], manifest(data));

async function managers(): Promise<string> {
  return kubectl.ok(['get', 'configmap', 'c', '-o', 'jsonpath={.metadata.managedFields[*].manager}']);
}

test('applies, reports conflicts with a hint, forces', async () => {
  expect((await apply({ a: '1' })).stdout).toContain('configmap/c serverside-applied');
  expect(await managers()).toBe('kubectl');
  expect((await apply({ a: '1', b: '1' }, '--field-manager=other')).code).toBe(0);
  const conflict = await apply({ a: '2' });
  expect(conflict.code).not.toBe(0);
  expect(conflict.stderr).toContain('conflict with "other": .data.a');
  expect((await apply({ a: '2' }, '--force-conflicts')).code).toBe(0);
  expect(await kubectl.ok(['get', 'configmap', 'c', '-o', 'jsonpath={.data}'])).toBe('{"a":"2","b":"1"}');
});
