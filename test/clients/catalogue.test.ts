/** Transcripts of kubectl over the whole catalogue: what users type, and what they have always seen. */
import type { JsonObject } from '../../src/base/json.ts';
import { untilPodsMayRun } from '../support/default-account.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { makeKubectl, type Kubectl } from './support/kubectl.ts';

let etcd: EtcdCluster;
let replica: Replica;
let kubectl: Kubectl;

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: 'main', image: 'nginx:1' }] };
const template = { metadata: { labels }, spec: podSpec };
const jobSpec = { template: { spec: { ...podSpec, restartPolicy: 'Never' } } };

function object(apiVersion: string, kind: string, more: JsonObject, name = 'web'): JsonObject {
  return { apiVersion, kind, metadata: { name, labels }, ...more };
}

const objects = [
  object('v1', 'Pod', { spec: podSpec }),
  object('v1', 'Pod', { spec: { ...podSpec, nodeName: 'n1' } }, 'placed'),
  object('v1', 'Service', { spec: { selector: labels, ports: [{ port: 80 }], clusterIP: '10.0.0.10' } }),
  object('v1', 'ConfigMap', { data: { a: 'b' } }),
  object('v1', 'PersistentVolumeClaim', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'fast',
    },
  }),
  object('apps/v1', 'Deployment', { spec: { replicas: 2, selector, template } }),
  object('apps/v1', 'StatefulSet', { spec: { serviceName: 'web', selector, template } }),
  object('apps/v1', 'DaemonSet', { spec: { selector, template } }),
  object('batch/v1', 'Job', { spec: jobSpec }),
  object('batch/v1beta1', 'CronJob', { spec: { schedule: '0 3 * * *', jobTemplate: { spec: jobSpec } } }),
  object('networking.k8s.io/v1', 'Ingress', {
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  }),
  object('autoscaling/v1', 'HorizontalPodAutoscaler', {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  }),
  object('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1, selector } }),
  object('storage.k8s.io/v1', 'StorageClass', { provisioner: 'example.com/disk' }, 'fast'),
  object('scheduling.k8s.io/v1', 'PriorityClass', { value: 7 }, 'high'),
];

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  replica = await startReplica({ etcd, naming: 'kubernetes', args: ['--runtime-config=batch/v2alpha1'] });
  await untilPodsMayRun(replica.admin);
  kubectl = await makeKubectl(replica);
  await kubectl.ok(['apply', '-f', '-'], objects.map((each) => JSON.stringify(each)).join('\n'));
});
afterAll(async () => {
  await kubectl.close();
  await replica.close();
  await etcd.close();
});

/** Columns of a printed table are two spaces apart at least. */
function rows(text: string): string[][] {
  const lines = text.trim().split('\n');
  return lines.map((line) => line.split(/ {2,}/).map((cell) => cell.trim()));
}

const wide: [string, string, string[]][] = [
  [
    'pod/web',
    'NAME READY STATUS RESTARTS AGE IP NODE NOMINATED_NODE READINESS_GATES',
    ['web', '0/1', 'Pending'],
  ],
  ['service/web', 'NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE SELECTOR', ['web', 'ClusterIP', '10.0.0.10']],
  ['configmap/web', 'NAME DATA AGE', ['web', '1']],
  [
    'pvc/web',
    'NAME STATUS VOLUME CAPACITY ACCESS_MODES STORAGECLASS AGE VOLUMEMODE',
    ['web', 'Pending', '', '', '', 'fast'],
  ],
  ['deploy/web', 'NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR', ['web', '0/2', '0', '0']],
  ['sts/web', 'NAME READY AGE CONTAINERS IMAGES', ['web', '0/1']],
  [
    'ds/web',
    'NAME DESIRED CURRENT READY UP-TO-DATE AVAILABLE NODE_SELECTOR AGE CONTAINERS IMAGES SELECTOR',
    ['web', '0', '0'],
  ],
  ['job/web', 'NAME COMPLETIONS DURATION AGE CONTAINERS IMAGES SELECTOR', ['web', '0/1']],
  [
    'cronjob/web',
    'NAME SCHEDULE SUSPEND ACTIVE LAST_SCHEDULE AGE CONTAINERS IMAGES SELECTOR',
    ['web', '0 3 * * *', 'False', '0'],
  ],
  ['ingress/web', 'NAME CLASS HOSTS ADDRESS PORTS AGE', ['web', '<none>', '*']],
  ['hpa/web', 'NAME REFERENCE TARGETS MINPODS MAXPODS REPLICAS AGE', ['web', 'Deployment/web']],
  ['pdb/web', 'NAME MIN_AVAILABLE MAX_UNAVAILABLE ALLOWED_DISRUPTIONS AGE', ['web', '1', 'N/A', '0']],
  [
    'sc/fast',
    'NAME PROVISIONER RECLAIMPOLICY VOLUMEBINDINGMODE ALLOWVOLUMEEXPANSION AGE',
    ['fast', 'example.com/disk', 'Delete', 'Immediate', 'false'],
  ],
  ['pc/high', 'NAME VALUE GLOBAL-DEFAULT AGE', ['high', '7', 'false']],
];

test.each(wide)('get %s -o wide', async (name, head, cells) => {
  const [header = '', row = ''] = (await kubectl.ok(['get', name, '-o', 'wide'])).trim().split('\n');
  const columns = rows(header)[0] ?? [];
  expect(columns.map((column) => column.replaceAll(' ', '_')).join(' ')).toBe(head);
  // Empty cells are blank, so cells are read where the header's words stand.
  const starts = columns.map((column) => header.indexOf(column));
  const found = starts.map((start, i) => row.slice(start, starts[i + 1]).trim());
  expect(found.slice(0, cells.length)).toEqual(cells);
});

test('api-resources and api-versions: groups, short names, and what was switched on', async () => {
  const versions = (await kubectl.ok(['api-versions'])).trim().split('\n');
  expect(versions).toEqual(
    expect.arrayContaining(['batch/v2alpha1', 'policy/v1', 'authentication.k8s.io/v1']),
  );
  expect(versions).not.toContain('node.k8s.io/v1alpha1');
  const resources = rows(await kubectl.ok(['api-resources', '--sort-by=name', '--no-headers']));
  const names = resources.map(([name]) => name ?? '');
  expect(names.length).toBeGreaterThan(50);
  expect(resources.find(([name]) => name === 'poddisruptionbudgets')).toEqual([
    ...['poddisruptionbudgets', 'pdb', 'policy/v1', 'true', 'PodDisruptionBudget'],
  ]);
  expect(names).toEqual(expect.arrayContaining(['subjectaccessreviews', 'tokenreviews', 'cronjobs']));
});

test.each([
  [
    'cronjob.spec.schedule',
    'batch',
    'v1',
    /FIELD: +schedule <string>\n\n+DESCRIPTION:\n +When to run, in cron format/,
  ],
  ['pod.spec.containers.ports', '', 'v1', /(FIELD|RESOURCE): ports <\[\](ContainerPort|Object)>/],
  ['ingress.spec.defaultBackend', 'networking.k8s.io', 'v1', /service\t<(IngressServiceBackend|Object)>/],
])('explain %s', async (path, group, version, text) => {
  const printed = await kubectl.ok(['explain', path]);
  expect(printed).toMatch(text);
  // Older ones print group and version in one line, and no types of structs.
  expect(printed).toMatch(new RegExp(`^VERSION: +(${group}/)?${version}$`, 'm'));
  expect(printed).toContain(group);
});

test('a deprecated version warns, and shows the same object', async () => {
  const { code, stdout, stderr } = await kubectl.run(['get', 'cronjobs.v1beta1.batch', 'web', '-o', 'name']);
  expect([code, stdout.trim()]).toEqual([0, 'cronjob.batch/web']);
  expect(stderr.trim()).toBe(
    'Warning: batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob',
  );
  const alpha = await kubectl.run([
    'get',
    'cronjobs.v2alpha1.batch',
    'web',
    '-o',
    'jsonpath={.spec.schedule}',
  ]);
  expect([alpha.code, alpha.stdout]).toEqual([0, '0 3 * * *']);
  const metrics = await kubectl.ok(['get', '--raw', '/metrics']);
  expect(metrics).toMatch(
    /^apiserver_requested_deprecated_apis\{(?=.*group="batch")(?=.*version="v1beta1")(?=.*resource="cronjobs")(?=.*subresource="")(?=.*removed_release="1.25").*\} 1$/m,
  );
});

test('auth can-i asks the authorizer', async () => {
  expect((await kubectl.ok(['auth', 'can-i', 'delete', 'pods'])).trim()).toBe('yes');
  const other = await kubectl.run(['auth', 'can-i', 'delete', 'pods', '--as=nobody-known']);
  expect(other.stdout.trim()).not.toBe('yes');
  expect((await kubectl.run(['auth', 'can-i', '--list'])).code).toBe(0);
});

test('logs and exec report why there is nothing to connect to', async () => {
  expect(await kubectl.ok(['logs', 'web'])).toBe('');
  for (const words of [
    ['logs', 'placed'],
    ['exec', 'placed', '--', 'ls'],
  ]) {
    const { code, stderr } = await kubectl.run(words);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/nodes "n1" not found/);
  }
});

test('get all, by label, in every form of output', async () => {
  const all = await kubectl.ok(['get', 'all', '-l', 'app=web', '-o', 'name']);
  expect(all.trim().split('\n').sort()).toEqual([
    ...['cronjob.batch/web', 'daemonset.apps/web', 'deployment.apps/web'],
    ...['horizontalpodautoscaler.autoscaling/web', 'job.batch/web', 'pod/placed', 'pod/web'],
    ...['service/web', 'statefulset.apps/web'],
  ]);
});
