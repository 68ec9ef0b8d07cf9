/** PodSecurity: which writes are judged by which level of which namespace, and what comes of it. */
import { createPodSecurity, type PodSecurityConfig } from '../../../src/admission/pod-security/plugin.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createPodSecurityMetrics } from '../../../src/observe/pod-security-metrics.ts';
import { defaultPodSecurity } from '../../../src/options/admission/pod-security.ts';
import { attributesOf, naming, outcomeOf, readerOf, type Write } from '../../support/admission.ts';

const labels = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(' ').map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return [`pod-security.orch.io/${name}`, value];
    }),
  );
const namespace = (text: string): object => ({ metadata: { labels: labels(text) } });
const stored = {
  metadata: { name: 'it', namespace: 'base' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

const reader = readerOf({
  'core/namespaces/web': { metadata: {} },
  'core/namespaces/base': namespace('enforce=baseline'),
  'core/namespaces/watched': namespace('warn=baseline audit=baseline audit-version=v1.20'),
  'core/namespaces/both': namespace('enforce=baseline warn=restricted'),
  'core/namespaces/broken': namespace('enforce=strict warn=x'),
  'core/pods/base/it': stored,
});

let registry = new Metrics();
let metrics = createPodSecurityMetrics(registry);
beforeEach(() => {
  registry = new Metrics();
  metrics = createPodSecurityMetrics(registry);
});

/** What is counted, as `name{values of labels in order}`. */
async function counted(): Promise<string[]> {
  const lines = (await registry.text()).split('\n').filter((line) => line.startsWith('pod_security_'));
  return lines.map((line) => line.replaceAll(/\w+="([^"]*)"/g, '$1').replace(/ 1$/, ''));
}

interface Outcome {
  readonly outcome: string;
  readonly warnings: readonly string[];
  readonly notes: Readonly<Record<string, string>>;
}

async function judged(
  write: Write,
  config: Partial<PodSecurityConfig> = {},
  pods: readonly object[] = [],
): Promise<Outcome> {
  const plugin = createPodSecurity({
    ...{ naming, reader, newest: 22, config: { ...defaultPodSecurity, ...config } },
    metrics,
    pods: { count: () => pods.length, each: () => pods.map((one) => one as ApiObject) },
  });
  const [warnings, notes]: [string[], Record<string, string>] = [[], {}];
  const attributes = attributesOf(write);
  const scope = {
    ...attributes.scope,
    warn: (text: string) => void warnings.push(text),
    annotate: (key: string, value: string) => {
      notes[key.replace('pod-security.orch.io/', '')] = value;
    },
  };
  return { outcome: await outcomeOf(plugin, { ...attributes, scope }), warnings, notes };
}

const bad = { hostPID: true };
const pod = (where: string, spec: object, more: Partial<Write> = {}): Write => ({
  ...{ resource: 'pods', namespace: where, object: { spec } },
  ...more,
});
const problem = 'PodSecurity "baseline:latest": host namespaces (hostPID=true)';

test('a pod is refused, noted or warned of as its namespace says', async () => {
  expect(await judged(pod('web', bad))).toEqual({
    ...{ outcome: '', warnings: [], notes: { 'enforce-policy': 'privileged:latest' } },
  });
  expect(await judged(pod('base', bad))).toMatchObject({ outcome: `403 violates ${problem}`, warnings: [] });
  expect(await judged(pod('watched', bad))).toEqual({
    outcome: '',
    warnings: [`would violate ${problem}`],
    notes: {
      'enforce-policy': 'privileged:latest',
      'audit-violations': 'would violate PodSecurity "baseline:v1.20": host namespaces (hostPID=true)',
    },
  });
  const { outcome, warnings } = await judged(pod('both', { containers: [{ name: 'c' }] }));
  expect([outcome, warnings.length, warnings[0]]).toEqual([
    '',
    1,
    expect.stringContaining(
      'would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
    ),
  ]);
});

test('labels that cannot be read refuse what the strictest level refuses', async () => {
  const { outcome, warnings, notes } = await judged(pod('broken', { containers: [{ name: 'c' }] }));
  expect(outcome).toContain('403 violates PodSecurity "restricted:latest"');
  expect([warnings, notes['error']]).toEqual([
    [],
    expect.stringContaining('Failed to parse policy: metadata.labels'),
  ]);
});

test('defaults hold where no label is', async () => {
  const level = { level: 'baseline', version: 'v1.20' } as const;
  const defaults = { ...defaultPodSecurity.defaults, enforce: level };
  expect((await judged(pod('web', bad), { defaults })).outcome).toContain(
    '403 violates PodSecurity "baseline:v1.20"',
  );
  expect((await judged(pod('base', bad), { defaults })).outcome).toContain('"baseline:v1.20"');
});

test.each<readonly [string, Partial<PodSecurityConfig['exemptions']>, object]>([
  ['namespace', { namespaces: ['base'] }, bad],
  ['user', { usernames: ['somebody'] }, bad],
  ['runtimeClass', { runtimeClasses: ['vm'] }, { ...bad, runtimeClassName: 'vm' }],
])('exempt by its %s', async (why, exempt, spec) => {
  const exemptions = { ...defaultPodSecurity.exemptions, ...exempt };
  expect(await judged(pod('base', spec), { exemptions })).toEqual({
    ...{ outcome: '', warnings: [], notes: { exempt: why } },
  });
});

const workloads: readonly (readonly [string, (template: object) => object])[] = [
  ['apps/v1/deployments', (template) => ({ spec: { template } })],
  ['apps/v1/daemonsets', (template) => ({ spec: { template } })],
  ['batch/v1/jobs', (template) => ({ spec: { template } })],
  ['batch/v1/cronjobs', (template) => ({ spec: { jobTemplate: { spec: { template } } } })],
  ['replicationcontrollers', (template) => ({ spec: { template } })],
  ['podtemplates', (template) => ({ template })],
];

test.each(workloads)('%s are warned of, not refused', async (resource, around) => {
  const object = around({ spec: bad });
  expect((await judged({ resource, namespace: 'base', object })).outcome).toBe('');
  expect((await judged({ resource, namespace: 'watched', object })).warnings).toEqual([
    `would violate ${problem}`,
  ]);
  expect((await judged({ resource, namespace: 'watched', object: {} })).warnings).toEqual([]);
});

test('updates are judged where images, containers or seccomp annotations change', async () => {
  const spec = { ...bad, containers: [{ name: 'c', image: 'i' }] };
  const update = (next: object, before: object = { spec }): Write => ({
    ...{ resource: 'pods', namespace: 'base', operation: 'UPDATE', object: next, oldObject: before },
  });
  expect((await judged(update({ metadata: { labels: { a: 'b' } }, spec }))).outcome).toBe('');
  const image = { ...bad, containers: [{ name: 'c', image: 'j' }] };
  const annotations = { 'seccomp.security.alpha.orch.io/pod': 'unconfined' };
  for (const next of [
    { spec: image },
    { metadata: { annotations }, spec },
    { spec: { ...spec, containers: [] } },
  ])
    expect((await judged(update(next))).outcome).toBe(`403 violates ${problem}`);
});

test('ephemeral containers are judged with their pod; other subresources are not', async () => {
  const privileged = { name: 'e', image: 'i', securityContext: { privileged: true } };
  const add = (containers: readonly object[]): Write => ({
    ...{ resource: 'pods/ephemeralcontainers', namespace: 'base', operation: 'UPDATE' },
    ...{ object: { ephemeralContainers: containers }, oldObject: { ephemeralContainers: [] } },
    kind: { group: '', version: 'v1', kind: 'EphemeralContainers' },
  });
  expect((await judged(add([privileged]))).outcome).toBe(
    '403 violates PodSecurity "baseline:latest": privileged (container "e" must not set securityContext.privileged=true)',
  );
  expect((await judged(add([{ name: 'e', image: 'i' }]))).outcome).toBe('');
  // Since 1.22 the body is the pod.
  const withAll = (containers: readonly object[]): Write => ({
    ...{ resource: 'pods/ephemeralcontainers', namespace: 'base', operation: 'UPDATE' },
    object: { spec: { containers: [], ephemeralContainers: containers } },
    oldObject: { spec: { containers: [] } },
  });
  expect((await judged(withAll([privileged]))).outcome).toContain('403 violates PodSecurity');
  expect((await judged(withAll([{ name: 'e', image: 'i' }]))).outcome).toBe('');
  for (const resource of ['pods/status', 'pods/binding', 'pods/exec'])
    expect((await judged({ resource, namespace: 'base', object: { spec: bad } })).outcome).toBe('');
});

const label = (text: string, before?: string): Write => ({
  ...{ resource: 'namespaces', name: 'ns', object: namespace(text), operation: before ? 'UPDATE' : 'CREATE' },
  ...(before && { oldObject: namespace(before) }),
});

test('labels of a namespace must be readable where they change', async () => {
  const { outcome } = await judged(label('enforce=strict warn-version=1.2'));
  expect(outcome).toBe(
    '422 Namespace "ns" is invalid: [metadata.labels[pod-security.orch.io/enforce]: Invalid value: "strict": must be one of ' +
      'privileged, baseline, restricted, metadata.labels[pod-security.orch.io/warn-version]: Invalid value: "1.2": ' +
      'must be "latest" or "v1.x"]',
  );
  expect((await judged(label('enforce=strict x=y', 'enforce=strict'))).outcome).toBe('');
  expect((await judged(label('enforce=strict', 'enforce=baseline'))).outcome).toContain('422');
});

test('a stricter level warns of the pods that violate it', async () => {
  const pods = [
    ...['a', 'b', 'c'].map((name) => ({ metadata: { name }, spec: bad })),
    { metadata: { name: 'd' }, spec: { hostNetwork: true, containers: [{ ports: [{ hostPort: 1 }] }] } },
    { metadata: { name: 'e' }, spec: {} },
    { metadata: { name: 'f' }, spec: { ...bad, runtimeClassName: 'vm' } },
  ];
  const exemptions = { ...defaultPodSecurity.exemptions, runtimeClasses: ['vm'], namespaces: ['free'] };
  const warned = async (write: Write): Promise<readonly string[]> =>
    (await judged(write, { exemptions }, pods)).warnings;
  expect(await warned(label('enforce=baseline', 'enforce=privileged'))).toEqual([
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 2 other pods): host namespaces',
    'd: host namespaces, hostPort',
  ]);
  for (const [next, before] of [
    ['enforce=baseline', 'enforce=baseline'],
    ['enforce=baseline', 'enforce=restricted'],
    ['enforce=privileged', 'enforce=baseline'],
  ] as const)
    expect(await warned(label(next, before))).toEqual([]);
  expect(await warned({ ...label('enforce=baseline', 'enforce=privileged'), name: 'free' })).toEqual([]);
});

test('of a large namespace only the first pods are looked at', async () => {
  const pods = Array.from({ length: 3_001 }, (_, i) => ({ metadata: { name: `p${i}` }, spec: bad }));
  const { warnings } = await judged(label('enforce=baseline', 'enforce=privileged'), {}, pods);
  // On a slow machine the time may end before.
  expect(warnings.at(-1)).toMatch(/^only the first \d+ of 3001 pods were checked$/);
});

test('evaluations are counted by level, version and mode, exemptions and errors by request', async () => {
  await judged(pod('base', bad));
  await judged(pod('watched', bad));
  await judged(pod('web', bad), { exemptions: { ...defaultPodSecurity.exemptions, namespaces: ['web'] } });
  await judged(pod('broken', {}));
  const evaluations = 'pod_security_evaluations_total';
  expect(await counted()).toEqual([
    `${evaluations}{deny,baseline,latest,enforce,create,pod,}`,
    `${evaluations}{deny,baseline,v1.20,audit,create,pod,}`,
    `${evaluations}{allow,privileged,latest,enforce,create,pod,}`,
    `${evaluations}{deny,baseline,latest,warn,create,pod,}`,
    expect.stringContaining(`${evaluations}{`),
    'pod_security_exemptions_total{create,pod,}',
    'pod_security_errors_total{false,create,pod,}',
  ]);
});

test('versions of the future are one', async () => {
  const future = { level: 'baseline', version: 'v1.99' } as const;
  await judged(pod('web', {}), { defaults: { ...defaultPodSecurity.defaults, enforce: future } });
  expect(await counted()).toEqual([
    'pod_security_evaluations_total{allow,baseline,future,enforce,create,pod,}',
  ]);
});
