/** A replica over data of older builds: objects in versions that are served no more, or were stored before others were. */
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { directClient, json } from '../../support/storage.ts';

let etcd: EtcdCluster;
let replica: Replica;

const metadata = (name: string): object => ({
  ...{ name, uid: `u-${name}`, creationTimestamp: '2018-01-01T00:00:00Z', labels: { app: 'web' } },
});
const podSpec = { containers: [{ name: 'main', image: 'nginx:1' }] };
const template = { metadata: { labels: { app: 'web' } }, spec: podSpec };
const jobTemplate = { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } };
const backend = { serviceName: 'web', servicePort: 80 };

const rule = { rule: 'RunAsAny' };
const anything = { seLinux: rule, runAsUser: rule, supplementalGroups: rule, fsGroup: rule };

const old: Record<string, object> = {
  'apps/deployments/default/web': {
    ...{ kind: 'Deployment', apiVersion: 'extensions/v1beta1' },
    metadata: { ...metadata('web'), namespace: 'default' },
    spec: { template },
  },
  'networking.orch.io/ingresses/default/web': {
    ...{ kind: 'Ingress', apiVersion: 'networking.orch.io/v1beta1' },
    metadata: { ...metadata('web'), namespace: 'default' },
    spec: { backend },
  },
  'batch/cronjobs/default/web': {
    ...{ kind: 'CronJob', apiVersion: 'batch/v2alpha1' },
    metadata: { ...metadata('web'), namespace: 'default' },
    spec: { schedule: '0 3 * * *', jobTemplate },
  },
  'policy/podsecuritypolicies/web': {
    ...{ kind: 'PodSecurityPolicy', apiVersion: 'extensions/v1beta1' },
    metadata: metadata('web'),
    spec: { privileged: true, ...anything },
  },
};

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  const client = directClient(etcd.endpoints);
  for (const [key, value] of Object.entries(old)) {
    await client.put({ key: Buffer.from(`/registry/${key}`), value: json(value) });
  }
  client.close();
  replica = await startReplica({ etcd });
});
afterAll(async () => {
  await replica.close();
  await etcd.close();
});

test.each([
  ['/apis/apps/v1/namespaces/default/deployments', { spec: { selector: { matchLabels: { app: 'web' } } } }],
  [
    '/apis/networking.orch.io/v1/namespaces/default/ingresses',
    { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
  ],
  ['/apis/networking.orch.io/v1beta1/namespaces/default/ingresses', { spec: { backend } }],
  ['/apis/extensions/v1beta1/namespaces/default/ingresses', { spec: { backend } }],
  ['/apis/batch/v1/namespaces/default/cronjobs', { spec: { schedule: '0 3 * * *' } }],
  ['/apis/policy/v1beta1/podsecuritypolicies', { spec: { privileged: true } }],
])('%s: read, listed, watched, changed', async (path, expected) => {
  const { admin } = replica;
  const object = await admin.ok('GET', `${path}/web`);
  expect(object).toMatchObject({ ...expected, metadata: { uid: 'u-web' } });
  const { items } = await admin.list(`${path}?labelSelector=app%3Dweb`);
  expect(items).toMatchObject([{ metadata: { uid: 'u-web' } }]);
  const watch = await admin.watch(`${path}?timeoutSeconds=30`);
  expect(await watch.next()).toEqual({ type: 'ADDED', object });
  const changed = await admin.patch(`${path}/web`, 'merge', { metadata: { annotations: { seen: path } } });
  expect(changed.status).toBe(200);
  const event = await watch.next();
  watch.close();
  expect(event).toMatchObject({
    type: 'MODIFIED',
    object: { ...expected, metadata: { annotations: { seen: path } } },
  });
});
