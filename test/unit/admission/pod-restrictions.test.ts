/** Plugins that keep pods, services and volumes within bounds and are off by default. */
import type { AdmissionPlugin } from '../../../src/admission/admission-chain.ts';
import { createDenyServiceExternalIPs } from '../../../src/admission/deny-service-external-ips.ts';
import { createExtendedResourceToleration } from '../../../src/admission/extended-resource-toleration.ts';
import { createLimitPodHardAntiAffinityTopology } from '../../../src/admission/limit-pod-hard-anti-affinity-topology.ts';
import { createPersistentVolumeLabel } from '../../../src/admission/persistent-volume-label.ts';
import { createSecurityContextDeny } from '../../../src/admission/security-context-deny.ts';
import { attributesOf, naming, outcomeOf, type Write } from '../../support/admission.ts';
import { cpuBudget, threadCpuMs } from '../../support/cpu-time.ts';

const plugins = {
  affinity: createLimitPodHardAntiAffinityTopology(naming),
  context: createSecurityContextDeny(),
  ips: createDenyServiceExternalIPs(),
  extended: createExtendedResourceToleration(naming),
  volume: createPersistentVolumeLabel(naming),
} satisfies Record<string, AdmissionPlugin>;

type Name = keyof typeof plugins;

const pod = (spec: object, more: Partial<Write> = {}): Write => ({
  resource: 'pods',
  object: { spec },
  ...more,
});
const apart = (topologyKey: string): object => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } },
});
const hostname = 'orch.io/hostname';
const service = (before: readonly string[] | undefined, next: readonly string[]): Write => ({
  resource: 'services',
  operation: before ? 'UPDATE' : 'CREATE',
  object: { spec: { externalIPs: next } },
  ...(before && { oldObject: { spec: { externalIPs: before } } }),
});
const denied = '403 Use of external IPs is denied by admission control';
const volume = (spec: object, metadata: object = {}): Write => ({
  resource: 'persistentvolumes',
  object: { spec, metadata },
});

test.each<readonly [Name, string, Write, string]>([
  ['affinity', 'apart by node', pod(apart(hostname)), ''],
  [
    'affinity',
    'apart by zone',
    pod(apart('zone')),
    `403 affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key ${hostname} is allowed`,
  ],
  [
    'affinity',
    'apart by zone if possible',
    pod({
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: { topologyKey: 'zone' } }],
        },
      },
    }),
    '',
  ],
  ['affinity', 'a status', pod(apart('zone'), { resource: 'pods/status', operation: 'UPDATE' }), ''],
  ['context', 'none', pod({ containers: [{}] }), ''],
  ['context', 'not as root', pod({ securityContext: { runAsNonRoot: true, runAsGroup: 1 } }), ''],
  [
    'context',
    'no further groups, said so',
    pod({ securityContext: { supplementalGroups: [] } }),
    '403 pod.Spec.SecurityContext.SupplementalGroups is forbidden',
  ],
  [
    'context',
    'SELinux',
    pod({ securityContext: { seLinuxOptions: {} } }),
    '403 pod.Spec.SecurityContext.SELinuxOptions is forbidden',
  ],
  [
    'context',
    'root',
    pod({ securityContext: { runAsUser: 0 } }),
    '403 pod.Spec.SecurityContext.RunAsUser is forbidden',
  ],
  [
    'context',
    'a group of volumes, on update',
    pod({ securityContext: { fsGroup: 1 } }, { operation: 'UPDATE' }),
    '403 pod.Spec.SecurityContext.FSGroup is forbidden',
  ],
  [
    'context',
    'SELinux of an init container',
    pod({ initContainers: [{ securityContext: { seLinuxOptions: {} } }] }),
    '403 SecurityContext.SELinuxOptions is forbidden',
  ],
  [
    'context',
    'a user of a container',
    pod({ containers: [{}, { securityContext: { runAsUser: 5 } }] }),
    '403 SecurityContext.RunAsUser is forbidden',
  ],
  ['ips', 'none', service(undefined, []), ''],
  ['ips', 'a new service', service(undefined, ['1.1.1.1']), denied],
  ['ips', 'fewer', service(['1.1.1.1', '2.2.2.2'], ['2.2.2.2']), ''],
  ['ips', 'another', service(['1.1.1.1'], ['2.2.2.2']), denied],
  [
    'volume',
    'a disk that only its cloud knows',
    volume({ awsElasticBlockStore: { volumeID: 'vol-1' } }),
    '403 error querying AWS EBS volume vol-1: unable to build AWS cloud provider for EBS',
  ],
  [
    'volume',
    'a disk of another cloud',
    volume({ gcePersistentDisk: { pdName: 'd' } }),
    '403 error querying GCE PD volume d: unable to build GCE cloud provider for PD',
  ],
  [
    'volume',
    'a disk that is being made',
    volume({ azureDisk: { diskName: 'placeholder-for-provisioning', diskURI: 'u' } }),
    '',
  ],
  ['volume', 'a disk of no cloud', volume({ nfs: { server: 's', path: '/' } }), ''],
])('%s: %s', async (name, _what, write, outcome) => {
  expect(await outcomeOf(plugins[name], attributesOf(write))).toBe(outcome);
});

async function specAfter(name: Name, write: Write): Promise<unknown> {
  const attributes = attributesOf(write);
  expect(await outcomeOf(plugins[name], attributes)).toBe('');
  return attributes.object?.['spec'];
}

test('pods tolerate the taints of the extended resources that they request, once', async () => {
  const gpu = { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' };
  const requests = (...names: string[]): object => ({
    resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) },
  });
  const spec = {
    initContainers: [requests('example.com/fpga')],
    containers: [
      requests('cpu', 'example.com/gpu', 'hugepages-2Mi', 'orch.io/thing', 'requests.example.com/x'),
    ],
  };
  expect(await specAfter('extended', pod(spec))).toMatchObject({
    tolerations: [{ ...gpu, key: 'example.com/fpga' }, gpu],
  });
  const known = { ...spec, initContainers: [], tolerations: [gpu] };
  expect(await specAfter('extended', pod(known, { operation: 'UPDATE' }))).toEqual(known);
  expect(await specAfter('extended', pod({ containers: [{}] }))).toEqual({ containers: [{}] });
});

const zoned = {
  labels: { 'topology.orch.io/zone': 'b__a', 'topology.orch.io/region': 'r' },
  annotations: { 'pv.orch.io/provisioned-by': 'ebs' },
};
test('tens of thousands of extended resources cost no more than their number', async () => {
  const count = 30_000;
  const names = Array.from({ length: count }, (_, i) => `example.com/r${String(i)}`);
  const requests = Object.fromEntries(names.map((name) => [name, '1']));
  const tolerations = names.slice(count / 2).map((key) => ({ key, operator: 'Equal', effect: 'NoSchedule' }));
  const write = pod({ containers: [{ resources: { requests } }], tolerations });
  const budget = cpuBudget(1_000);
  const before = threadCpuMs();
  const spec = await specAfter('extended', write);
  expect(threadCpuMs() - before).toBeLessThan(budget);
  expect(spec).toHaveProperty('tolerations.length', count + count / 2);
});

const place = [
  { key: 'topology.orch.io/zone', operator: 'In', values: ['a', 'b'] },
  { key: 'topology.orch.io/region', operator: 'In', values: ['r'] },
];

test('a provisioned volume is bound to the nodes of its zone and region', async () => {
  const disk = { awsElasticBlockStore: { volumeID: 'vol-1' } };
  const terms = (spec: unknown): unknown =>
    (spec as { nodeAffinity: { required: { nodeSelectorTerms: unknown } } }).nodeAffinity.required
      .nodeSelectorTerms;
  expect(terms(await specAfter('volume', volume(disk, zoned)))).toEqual([{ matchExpressions: place }]);
  const other = { key: 'disk', operator: 'Exists' };
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [other] }] } };
  expect(terms(await specAfter('volume', volume({ ...disk, nodeAffinity }, zoned)))).toEqual([
    { matchExpressions: [other, ...place] },
  ]);
  const own = { required: { nodeSelectorTerms: [{ matchExpressions: [place[1]] }] } };
  expect(await specAfter('volume', volume({ ...disk, nodeAffinity: own }, zoned))).toEqual({
    ...disk,
    nodeAffinity: own,
  });
});

test('an empty zone is refused', async () => {
  const labels = { ...zoned.labels, 'topology.orch.io/zone': 'a__' };
  expect(await outcomeOf(plugins.volume, attributesOf(volume({}, { ...zoned, labels })))).toBe(
    '403 failed to convert label string for Zone: a__ to a Set',
  );
});
