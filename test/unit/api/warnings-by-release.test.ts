/** What each release warns of in objects that it takes: pods and their templates, classes of Ingresses. */
import type { JsonObject } from '../../../src/base/json.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';
import { contextWith, Kind, withValue } from '../../support/kind.ts';
import { minors } from '../../support/facts/facts.ts';

function kindIn(name: string, minor: number, settings: Readonly<Record<string, boolean>> = {}): Kind {
  const release = { major: 1, minor };
  const all = [...createFeatureGates(settings, featuresOf(release)).all()];
  const names = (isOn: boolean) => all.filter(([, on]) => on === isOn).map(([each]) => each);
  return new Kind(name, contextWith({ release, on: names(true), off: names(false) }), release);
}

function warningsOf(kind: Kind, sent: JsonObject, before?: JsonObject): readonly string[] {
  const { strategy } = kind.definition;
  return strategy.warnings?.(kind.created(sent), kind.context, before && kind.created(before)) ?? [];
}

const main = { name: 'main', image: 'a:1' };
const pod = { metadata: { name: 'p', namespace: 'x' }, spec: { containers: [main] } };
const volume = (source: JsonObject) => [{ name: 'v', ...source }];
const env = (...values: JsonObject[]) => [{ ...main, env: values }];
const node = (key: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }],
    },
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 1, preference: { matchExpressions: [{ key, operator: 'Exists' }] } },
    ],
  },
});
const os = 'deprecated since v1.14; use "orch.io/os" instead';
const zone = 'deprecated since v1.17; use "topology.orch.io/zone" instead';
const oldZone = 'failure-domain.beta.orch.io/zone';
const affinityPath = 'spec.affinity.nodeAffinity.';

/** Path of the pod, value, the first release that warns, the first that does not any more, warnings. */
const cases: readonly (readonly [string, unknown, number, number | undefined, ...string[]])[] = [
  [
    'spec.nodeSelector',
    { 'beta.orch.io/os': 'a' },
    22,
    undefined,
    `spec.nodeSelector[beta.orch.io/os]: ${os}`,
  ],
  [
    ...(['spec.affinity', node(oldZone), 22, undefined] as const),
    `${affinityPath}requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: ${oldZone} is ${zone}`,
    `${affinityPath}preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: ${oldZone} is ${zone}`,
  ],
  [
    'spec.topologySpreadConstraints',
    [{ maxSkew: 1, topologyKey: oldZone, whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }],
    ...([22, undefined] as const),
    `spec.topologySpreadConstraints[0].topologyKey: ${oldZone} is ${zone}`,
  ],
  [
    'metadata.annotations',
    { 'scheduler.alpha.orch.io/critical-pod': '' },
    ...([22, undefined] as const),
    'metadata.annotations[scheduler.alpha.orch.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [
    'spec.volumes',
    volume({ gitRepo: { repository: 'a' } }),
    22,
    33,
    'spec.volumes[0].gitRepo: deprecated in v1.11',
  ],
  [
    ...(['spec.volumes', volume({ gitRepo: { repository: 'a' } }), 33, undefined] as const),
    'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
  ],
  [
    ...(['spec.volumes', volume({ storageos: { volumeName: 'a' } }), 22, undefined] as const),
    'spec.volumes[0].storageOS: deprecated in v1.22, non-functional in v1.25+',
  ],
  [
    ...(['spec.volumes', volume({ glusterfs: { endpoints: 'a', path: 'b' } }), 25, undefined] as const),
    'spec.volumes[0].glusterfs: deprecated in v1.25, non-functional in v1.26+',
  ],
  [
    ...(['spec.volumes', volume({ cephfs: { monitors: ['a'] } }), 28, undefined] as const),
    'spec.volumes[0].cephfs: deprecated in v1.28, non-functional in v1.31+',
  ],
  [
    'spec.hostAliases',
    [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }],
    ...([22, undefined] as const),
    'spec.hostAliases[1].ip: duplicate ip "10.0.0.1"',
  ],
  [
    'spec.imagePullSecrets',
    [{ name: 'a' }, { name: 'a' }, {}],
    ...([22, undefined] as const),
    'spec.imagePullSecrets[1].name: duplicate name "a"',
    'spec.imagePullSecrets[2].name: invalid empty name ""',
  ],
  [
    'spec.containers',
    [{ ...main, resources: { limits: { memory: '100m' } } }],
    ...([22, undefined] as const),
    'spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer',
    'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
  ],
  [
    ...(['spec.containers', env({ name: 'A', value: '1' }, { name: 'A', value: '$(A)2' }), 22, 28] as const),
    'spec.containers[0].env[1].name: duplicate name "A"',
  ],
  [
    ...([
      'spec.containers',
      env({ name: 'A', value: '1' }, { name: 'A', value: '2' }),
      28,
      undefined,
    ] as const),
    'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
  ],
];

const named = cases.map(([path, value, since, until = Infinity, ...warnings]) => ({
  ...{ path, value, since, until, warnings },
}));

test.each(named)('a pod with $path $value, since 1.$since until 1.$until', (each) => {
  const { path, value, since, until, warnings } = each;
  const sent = withValue(pod, path, value);
  for (const minor of minors) {
    const isWarned = minor >= since && minor < until;
    const expected: unknown = isWarned ? warnings : expect.not.arrayContaining(warnings);
    expect([minor, warningsOf(kindIn('pods', minor), sent)]).toEqual([minor, expected]);
  }
});

test('an ordinary pod is warned of in no release', () => {
  for (const minor of minors) expect(warningsOf(kindIn('pods', minor), pod)).toEqual([]);
});

const labelled = { ...pod, spec: { ...pod.spec, nodeSelector: { 'beta.orch.io/os': 'a' } } };

test('updates of pods are not warned of', () => {
  const changed = withValue(labelled, 'spec.containers.0.image', 'b:1');
  expect(warningsOf(kindIn('pods', 36), changed, labelled)).toEqual([]);
});

const template = { metadata: { labels: { a: 'b' } }, spec: { ...labelled.spec, restartPolicy: 'Always' } };
const jobTemplate = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
const selector = { matchLabels: { a: 'b' } };
const metadata = { name: 'n', namespace: 'x' };

test.each([
  ['deployments.apps', { metadata, spec: { selector, template } }, 'spec.template.'],
  ['replicasets.apps', { metadata, spec: { selector, template } }, 'spec.template.'],
  ['daemonsets.apps', { metadata, spec: { selector, template } }, 'spec.template.'],
  ['statefulsets.apps', { metadata, spec: { selector, template, serviceName: 's' } }, 'spec.template.'],
  ['replicationcontrollers', { metadata, spec: { selector: { a: 'b' }, template } }, 'spec.template.'],
  ['podtemplates', { metadata, template }, 'template.'],
  ['jobs.batch', { metadata, spec: { template: jobTemplate } }, 'spec.template.'],
  [
    'cronjobs.batch',
    { metadata, spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } } },
    'spec.jobTemplate.spec.template.',
  ],
])('%s: of its template, when that comes or changes', (name, sent, path) => {
  const expected = [`${path}spec.nodeSelector[beta.orch.io/os]: ${os}`];
  const older = kindIn(name, 21);
  const kind = kindIn(name, 36);
  expect([warningsOf(older, sent), warningsOf(kind, sent)]).toEqual([[], expected]);
  const renamed = withValue(sent, 'metadata.labels', { c: 'd' });
  expect(warningsOf(kind, renamed, sent)).toEqual([]);
  const before = withValue(sent, `${path}spec.nodeSelector`, undefined);
  expect(warningsOf(kind, sent, before)).toEqual(expected);
});

test.each([
  [21, []],
  [22, ['annotation "orch.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead']],
  [36, ['annotation "orch.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead']],
])('in 1.%d the annotation of a new Ingress: %j', (minor, warnings) => {
  const sent = {
    metadata: { ...metadata, annotations: { 'orch.io/ingress.class': 'a' } },
    spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
  };
  const kind = kindIn('ingresses.networking', minor);
  expect(warningsOf(kind, sent)).toEqual(warnings);
  expect(warningsOf(kind, sent, sent)).toEqual([]);
});

const hints = 'service.orch.io/topology-aware-hints';
const beta = 'volume.beta.orch.io/storage-class';
const annotated = (key: string) => ({ ...metadata, annotations: { [key]: 'a' } });
const classPath = `metadata.annotations[${beta}]: deprecated since v1.8; use "storageClassName" instead`;
const host = { hostPath: { path: '/a' }, capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'] };
const topologies = [{ matchLabelExpressions: [{ key: oldZone, values: ['a'] }] }];
const terms = [{ matchExpressions: [{ key: oldZone, operator: 'Exists' }] }];

/** Kind, what is sent, the first release that warns, the warning. */
test.each<[string, JsonObject, number, string]>([
  [
    ...(['services', { metadata: annotated(hints), spec: {} }, 27] as const),
    `metadata.annotations[${hints}]: deprecated since v1.27; use "service.orch.io/topology-mode" instead`,
  ],
  [
    ...(['services', { metadata, spec: { clusterIP: 'None', sessionAffinity: 'ClientIP' } }, 32] as const),
    'spec.sessionAffinity is ignored for headless services',
  ],
  [
    'services',
    { metadata, spec: { type: 'ExternalName', externalName: 'a', externalIPs: ['1.2.3.4'] } },
    32,
    'spec.externalIPs is ignored when spec.type is "ExternalName"',
  ],
  [
    ...(['services', { metadata, spec: { externalName: 'a' } }, 32] as const),
    'spec.externalName is ignored when spec.type is not "ExternalName"',
  ],
  [
    ...(['services', { metadata, spec: { trafficDistribution: 'PreferClose' } }, 34] as const),
    'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  ],
  ['persistentvolumeclaims', { metadata: annotated(beta), spec: {} }, 29, classPath],
  ['persistentvolumes', { metadata: annotated(beta), spec: host }, 29, classPath],
  [
    ...([
      'persistentvolumes',
      { metadata, spec: { ...host, persistentVolumeReclaimPolicy: 'Recycle' } },
    ] as const),
    29,
    'spec.persistentVolumeReclaimPolicy: Recycle is deprecated; use dynamic provisioning',
  ],
  [
    'persistentvolumes',
    { metadata, spec: { ...host, nodeAffinity: { required: { nodeSelectorTerms: terms } } } },
    26,
    `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: ${oldZone} is ${zone}`,
  ],
  [
    'storageclasses.storage',
    { metadata, provisioner: 'a', allowedTopologies: topologies },
    26,
    `allowedTopologies[0].matchLabelExpressions[0].key: ${oldZone} is ${zone}`,
  ],
])('%s %j since 1.%d', (name, sent, since, warning) => {
  const told = minors.map((minor) => warningsOf(kindIn(name, minor), sent));
  expect(told).toEqual(minors.map((minor) => (minor < since ? [] : [warning])));
});
