/**
 * Controllers in a process of their own, as the user that the policy gives their roles to and nothing else: all of them
 * do their work, and nothing of it is refused. Their lease is not that of the reference's controller manager, which may work beside them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ensurePki } from '../../../src/pki/folder.ts';
import { Child } from '../../support/child-process.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { entryPoint, nodeBinary } from '../../support/paths.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

async function kubeconfig(replica: Replica, pki: ServicePki): Promise<string> {
  const user = await pki.authority.client({ commonName: 'system:orch-controller-manager' });
  const config = {
    clusters: [
      { name: 'c', cluster: { server: replica.url, 'certificate-authority': pki.authority.caFile } },
    ],
    users: [{ name: 'u', user: { 'client-certificate': user.certFile, 'client-key': user.keyFile } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const file = join(pki.folder, 'controllers.kubeconfig');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

const data = { accessModes: ['ReadWriteOnce'] };
const size = { storage: '1Gi' };
/** A claim and a volume, which stay until controllers have seen that nothing uses them. */
const stored = [
  ['/api/v1/namespaces/home/persistentvolumeclaims', { ...data, resources: { requests: size } }],
  ['/api/v1/persistentvolumes', { ...data, capacity: size, hostPath: { path: '/data' } }],
] as const;

const labelDomain = { orch: 'orch.io', kubernetes: 'kubernetes.io' };
const apiDomain = { orch: 'orch.io', kubernetes: 'k8s.io' };
const systemNamespace = { orch: 'orch-system', kubernetes: 'kube-system' };

test.each(['orch', 'kubernetes'] as const)(
  'names of profile %s',
  async (naming) => {
    await using stack = new AsyncDisposableStack();
    const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
    const pki = stack.use(await makeServicePki());
    const replica = stack.use(await startReplica({ etcd, pki, naming, args: ['--controllers='] }));
    const keys = join(pki.folder, 'keys');
    await ensurePki({ folder: keys, hosts: [] });
    const child = await Child.start({
      name: 'controllers',
      program: nodeBinary(),
      args: [
        entryPoint(),
        'controllers',
        `--kubeconfig=${await kubeconfig(replica, pki)}`,
        '--secure-port=0',
        `--naming=${naming}`,
        '--controllers=*,bootstrapsigner,tokencleaner',
        `--root-ca-file=${pki.authority.caFile}`,
        `--service-account-private-key-file=${join(keys, 'service-account.key')}`,
      ],
    });
    stack.defer(async () => {
      await child.stop(10_000);
    });
    const { admin } = replica;
    const secrets = '/api/v1/namespaces/home/secrets';
    const eventually = (
      what: string,
      path: string,
      holds: (text: string, status: number) => boolean,
    ): Promise<unknown> =>
      waitFor(
        what,
        async () => {
          const { text, status } = await admin.get(path);
          return holds(text, status);
        },
        { timeout: 20_000, details: () => child.output() },
      );
    await admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'home' } });
    await eventually('a token of the default account', secrets, (text) => text.includes('"token":'));
    const view = `/apis/rbac.authorization.${apiDomain[naming]}/v1/clusterroles/view`;
    await admin.ok('POST', view.replace(/\/view$/, ''), {
      metadata: {
        name: 'widgets',
        labels: { [`rbac.authorization.${apiDomain[naming]}/aggregate-to-view`]: 'true' },
      },
      rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] }],
    });
    await eventually('the rules of an aggregated role', view, (text) => text.includes('"widgets"'));
    const maps = '/api/v1/namespaces/home/configmaps';
    await eventually('the authority of the namespace', maps, (text) => text.includes('root-ca.crt'));
    const owner = await admin.ok('POST', maps, { metadata: { name: 'owner' } });
    const { uid } = owner.metadata;
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid };
    await admin.ok('POST', maps, { metadata: { name: 'owned', ownerReferences: [reference] } });
    await admin.ok('DELETE', `${maps}/owner`);
    await eventually('the dependent to go', `${maps}/owned`, (_text, status) => status === 404);
    for (const [path, spec] of stored) {
      const made = await admin.ok('POST', path, { metadata: { name: 'data' }, spec });
      expect(made.metadata['finalizers']).toHaveLength(1);
      await admin.ok('DELETE', `${path}/data`);
      await eventually('what stores data to go', `${path}/data`, (_text, status) => status === 404);
    }
    const expired = {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: `bootstrap.${labelDomain[naming]}/token`,
      stringData: {
        ...{ 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
        expiration: '2020-01-01T00:00:00Z',
      },
    };
    const tokens = `/api/v1/namespaces/${systemNamespace[naming]}/secrets`;
    await admin.ok('POST', tokens, expired);
    await eventually(
      'the expired token to go',
      `${tokens}/bootstrap-token-abcdef`,
      (_text, status) => status === 404,
    );
    await admin.ok('DELETE', '/api/v1/namespaces/home');
    await eventually('the namespace to go', '/api/v1/namespaces/home', (_text, status) => status === 404);
    const leases = `/apis/coordination.${apiDomain[naming]}/v1/namespaces/${systemNamespace[naming]}/leases`;
    const held = await admin.ok('GET', `${leases}/orch-controller-manager`);
    expect(held.spec).toMatchObject({ holderIdentity: expect.any(String) as string });
    expect(child.output()).not.toContain('forbidden');
  },
  90_000,
);
