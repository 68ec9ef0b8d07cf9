/** PodSecurityPolicy: what one policy sets and forbids, and which of several policies counts. */
import { groupStrategy } from '../../../src/admission/pod-security-policy/id-strategies.ts';
import { maxFieldErrors } from '../../../src/meta/field-error.ts';
import { FieldPath } from '../../../src/meta/field-path.ts';
import { attributesOf, outcomeOf, type Write } from '../../support/admission.ts';
import { anySeccomp, pluginWith, pod, type Policy } from '../../support/pod-security-policy.ts';

const context = (securityContext: object): object => ({ containers: [{ name: 'c', securityContext }] });
const path = 'spec.containers[0].securityContext';
const seccomp = 'pod.metadata.annotations';

/** What a policy says of a pod, without the words around it. */
async function judged(policy: Policy, write: Write): Promise<string> {
  const outcome = await outcomeOf(pluginWith({ p: policy }), attributesOf(write));
  return outcome.replace('403 PodSecurityPolicy: unable to admit pod: ', '');
}

test.each<readonly [string, Policy, Write, string]>([
  ['everything', {}, pod({ hostNetwork: true, ...context({ privileged: true }) }), ''],
  [
    'the host',
    { hostNetwork: false, hostPID: false, hostIPC: false },
    pod({ hostNetwork: true, hostPID: true, hostIPC: true }),
    '[spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used ' +
      'spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used ' +
      'spec.securityContext.hostIPC: Invalid value: true: Host IPC is not allowed to be used]',
  ],
  [
    'privileges',
    { privileged: false },
    pod({ initContainers: [{ name: 'i', securityContext: { privileged: true } }] }),
    '[spec.initContainers[0].securityContext.privileged: Invalid value: true: Privileged containers are not allowed]',
  ],
  [
    'a way of mounting /proc',
    {},
    pod(context({ procMount: 'Unmasked' })),
    `[${path}.procMount: Invalid value: "Unmasked": ProcMountType is not allowed]`,
  ],
  [
    'an allowed way of mounting /proc',
    { allowedProcMountTypes: ['Unmasked'] },
    pod(context({ procMount: 'Unmasked' })),
    '',
  ],
  [
    'ports of the host',
    {
      hostPorts: [
        { min: 80, max: 80 },
        { min: 1000, max: 2000 },
      ],
    },
    pod({
      containers: [{ ports: [{ hostPort: 80 }, { hostPort: 81 }, { hostPort: 1500 }, { containerPort: 5 }] }],
    }),
    '[spec.containers[0].hostPort: Invalid value: 81: Host port 81 is not allowed to be used. Allowed ports: [80,1000-2000]]',
  ],
  [
    'a user',
    { runAsUser: { rule: 'MustRunAs', ranges: [{ min: 5, max: 6 }] } },
    pod(context({ runAsUser: 7 })),
    `[${path}.runAsUser: Invalid value: 7: must be in the ranges: [{5 6}]]`,
  ],
  [
    'root',
    { runAsUser: { rule: 'MustRunAsNonRoot' } },
    pod({ securityContext: { runAsUser: 0 } }),
    `[${path}.runAsUser: Invalid value: 0: running with the root UID is forbidden]`,
  ],
  [
    'perhaps root',
    { runAsUser: { rule: 'MustRunAsNonRoot' } },
    pod(context({ runAsNonRoot: false, runAsUser: 7 })),
    `[${path}.runAsNonRoot: Invalid value: false: must be true]`,
  ],
  [
    'a group',
    { runAsGroup: { rule: 'MayRunAs', ranges: [{ min: 5, max: 6 }] } },
    pod({ securityContext: { runAsGroup: 7 } }),
    `[${path}: Invalid value: [7]: group 7 must be in the ranges: [{5 6}]]`,
  ],
  [
    'groups of volumes and others',
    {
      fsGroup: { rule: 'MustRunAs', ranges: [{ min: 5, max: 6 }] },
      supplementalGroups: {
        rule: 'MayRunAs',
        ranges: [
          { min: 5, max: 6 },
          { min: 9, max: 9 },
        ],
      },
    },
    pod({ securityContext: { fsGroup: 7, supplementalGroups: [9, 8] } }),
    '[spec.securityContext.fsGroup: Invalid value: [7]: group 7 must be in the ranges: [{5 6}] ' +
      'spec.securityContext.supplementalGroups: Invalid value: [9,8]: group 8 must be in the ranges: [{5 6} {9 9}]]',
  ],
  [
    'SELinux',
    { seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: 's0:c1,c2', user: 'u' } } },
    pod({ securityContext: { seLinuxOptions: { level: 's0:c2,c1', user: 'v' } } }),
    '[spec.securityContext.seLinuxOptions.user: Invalid value: "v": must be u ' +
      `${path}.seLinuxOptions.user: Invalid value: "v": must be u]`,
  ],
  [
    'capabilities',
    { allowedCapabilities: ['A'], defaultAddCapabilities: ['B'] },
    pod(context({ capabilities: { add: ['A', 'B', 'C'] } })),
    `[${path}.capabilities.add: Invalid value: "C": capability may not be added]`,
  ],
  [
    'a root file system that can be written',
    { readOnlyRootFilesystem: true },
    pod(context({ readOnlyRootFilesystem: false })),
    `[${path}.readOnlyRootFilesystem: Invalid value: false: ReadOnlyRootFilesystem must be set to true]`,
  ],
  [
    'escalation',
    { allowPrivilegeEscalation: false },
    pod(context({ allowPrivilegeEscalation: true })),
    `[${path}.allowPrivilegeEscalation: Invalid value: true: Allowing privilege escalation for containers is not allowed]`,
  ],
  [
    'sysctls',
    { allowedUnsafeSysctls: ['net.*'], forbiddenSysctls: ['net.core.*'] },
    pod({
      securityContext: {
        sysctls: ['net.x', 'net.core.y', 'vm.z', 'kernel.shm_rmid_forced'].map((name) => ({
          name,
          value: '1',
        })),
      },
    }),
    '[pod.spec.securityContext.sysctls[1]: Forbidden: sysctl "net.core.y" is not allowed ' +
      'pod.spec.securityContext.sysctls[2]: Forbidden: unsafe sysctl "vm.z" is not allowed]',
  ],
  [
    'a runtime',
    { runtimeClass: { allowedRuntimeClassNames: ['kata'] } },
    pod({ runtimeClassName: 'runc' }),
    '[spec.runtimeClassName: Invalid value: "runc"]',
  ],
  [
    'seccomp',
    {},
    pod({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }),
    `[${seccomp}[seccomp.security.alpha.orch.io/pod]: Forbidden: seccomp may not be set ` +
      `${seccomp}[container.seccomp.security.alpha.orch.io/c]: Forbidden: seccomp may not be set]`,
  ],
  [
    'another seccomp profile',
    { annotations: { 'seccomp.security.alpha.orch.io/allowedProfileNames': 'docker/default,localhost/x' } },
    pod(context({ seccompProfile: { type: 'Localhost', localhostProfile: 'y' } }), {
      'seccomp.security.alpha.orch.io/pod': 'runtime/default',
    }),
    `[${seccomp}[container.seccomp.security.alpha.orch.io/c]: Forbidden: localhost/y is not an allowed seccomp profile. ` +
      'Valid values are docker/default,localhost/x]',
  ],
  [
    'AppArmor',
    { annotations: { 'apparmor.security.beta.orch.io/allowedProfileNames': 'runtime/default' } },
    pod({}, { 'container.apparmor.security.beta.orch.io/c': 'unconfined' }),
    `[${seccomp}[container.apparmor.security.beta.orch.io/c]: Forbidden: unconfined is not an allowed profile. ` +
      'Allowed values: "runtime/default"]',
  ],
  [
    'no AppArmor',
    { annotations: { 'apparmor.security.beta.orch.io/allowedProfileNames': 'runtime/default' } },
    pod({}),
    `[${seccomp}[container.apparmor.security.beta.orch.io/c]: Forbidden: AppArmor profile must be set]`,
  ],
])('judged by a policy: %s', async (_what, policy, write, outcome) => {
  expect(await judged(policy, write)).toBe(outcome);
});

const volumes = (...list: object[]): object => ({
  volumes: list.map((source, i) => ({ name: `v${i}`, ...source })),
});
const token = (path_: string): object => ({
  projected: {
    sources: [
      { serviceAccountToken: { path: path_ } },
      { configMap: { name: 'orch-root-ca.crt' } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  },
});
const hostPath = (at: string): object => ({ hostPath: { path: at } });
const paths = { allowedHostPaths: [{ pathPrefix: '/var/', readOnly: true }, { pathPrefix: '/tmp' }] };

test.each<readonly [string, Policy, object, string]>([
  ['a type', { volumes: ['secret'] }, volumes({ secret: {} }), ''],
  [
    'another type',
    { volumes: ['secret'] },
    volumes({ cephfs: {} }),
    '[spec.volumes[0]: Invalid value: "cephFS": cephFS volumes are not allowed to be used]',
  ],
  ['the type with a name of its own', { volumes: ['cephFS'] }, volumes({ cephfs: {} }), ''],
  ['the token of the account', { volumes: ['secret'] }, volumes(token('token')), ''],
  [
    'a projection of more',
    { volumes: ['secret'] },
    volumes(token('other')),
    '[spec.volumes[0]: Invalid value: "projected": projected volumes are not allowed to be used]',
  ],
  ['a path of the host', paths, volumes(hostPath('/tmp/x/')), ''],
  [
    'other paths of the host',
    paths,
    volumes(hostPath('/tmpx')),
    '[spec.volumes[0].hostPath.pathPrefix: Invalid value: "/tmpx": is not allowed to be used]',
  ],
  [
    'a path that is only read',
    paths,
    {
      ...volumes(hostPath('/var')),
      containers: [
        { name: 'c', volumeMounts: [{ name: 'v0', readOnly: true }, { name: 'v0' }, { name: 'v1' }] },
      ],
    },
    '[spec.containers[0].volumeMounts[1].readOnly: Invalid value: false: must be read-only]',
  ],
  [
    'drivers',
    { allowedFlexVolumes: [{ driver: 'a' }], allowedCSIDrivers: [{ name: 'b' }] },
    volumes({ flexVolume: { driver: 'x' } }, { csi: { driver: 'y' } }, { csi: { driver: 'b' } }),
    '[spec.volumes[0].driver: Invalid value: "x": Flexvolume driver is not allowed to be used ' +
      'spec.volumes[1].csi.driver: Invalid value: "y": Inline CSI driver is not allowed to be used]',
  ],
])('volumes: %s', async (_what, policy, spec, outcome) => {
  expect(await judged(policy, pod(spec))).toBe(outcome);
});

test('a policy sets what a pod leaves open, and nothing else', async () => {
  const ranges = [{ min: 5, max: 9 }];
  const strict = {
    runAsUser: { rule: 'MustRunAs', ranges },
    runAsGroup: { rule: 'MustRunAs', ranges },
    fsGroup: { rule: 'MustRunAs', ranges },
    supplementalGroups: { rule: 'MustRunAs', ranges },
    seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: 's0' } },
    ...{ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    ...{ defaultAddCapabilities: ['B', 'C'], requiredDropCapabilities: ['D'], allowedCapabilities: ['A'] },
    runtimeClass: { defaultRuntimeClassName: 'kata', allowedRuntimeClassNames: ['kata'] },
    annotations: {
      ...anySeccomp,
      'seccomp.security.alpha.orch.io/defaultProfileName': 'runtime/default',
      'apparmor.security.beta.orch.io/defaultProfileName': 'runtime/default',
    },
  };
  const attributes = attributesOf(
    pod({
      containers: [
        { name: 'c', securityContext: { runAsUser: 6, capabilities: { add: ['A'], drop: ['C'] } } },
      ],
    }),
  );
  expect(await outcomeOf(pluginWith({ p: strict }), attributes)).toBe('');
  expect(attributes.object).toMatchObject({
    metadata: {
      annotations: {
        'orch.io/psp': 'p',
        'seccomp.security.alpha.orch.io/pod': 'runtime/default',
        'container.apparmor.security.beta.orch.io/c': 'runtime/default',
      },
    },
    spec: {
      runtimeClassName: 'kata',
      securityContext: { fsGroup: 5, supplementalGroups: [5], seLinuxOptions: { level: 's0' } },
      containers: [
        {
          name: 'c',
          securityContext: {
            ...{ runAsUser: 6, runAsGroup: 5, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
            capabilities: { add: ['A', 'B'], drop: ['C', 'D'] },
          },
        },
      ],
    },
  });
});

test('a pod that must not run as root says so where nobody says who it runs as', async () => {
  const plugin = pluginWith({ p: { runAsUser: { rule: 'MustRunAsNonRoot' } } });
  const contextAfter = async (spec: object): Promise<unknown> => {
    const attributes = attributesOf(pod(spec));
    expect(await outcomeOf(plugin, attributes)).toBe('');
    const { containers } = attributes.object?.['spec'] as { containers: { securityContext?: unknown }[] };
    return containers[0]?.securityContext;
  };
  expect(await contextAfter({})).toEqual({ runAsNonRoot: true });
  expect(await contextAfter({ securityContext: { runAsUser: 7 } })).toBeUndefined();
  expect(await contextAfter({ securityContext: { runAsNonRoot: true } })).toBeUndefined();
});

const sets = { allowPrivilegeEscalation: false };
const unusable = { runAsUser: { rule: 'MustRunAs', ranges: [] } };
const forbids = { hostPID: false };

test.each<readonly [string, Readonly<Record<string, Policy>>, Write, string]>([
  ['the first by name', { b: {}, a: {} }, pod({}, {}, { user: { name: 'a,b' } }), 'a'],
  ['the one that changes nothing', { a: sets, b: {} }, pod({}, {}, { user: { name: 'a,b' } }), 'b'],
  ['the first that changes something', { b: sets, a: sets }, pod({}, {}, { user: { name: 'a,b' } }), 'a'],
  ['one that may be used', { a: {}, b: {} }, pod({}, {}, { user: { name: 'b' } }), 'b'],
  ['one that the account may use', { a: {}, b: {} }, pod({ serviceAccountName: 'b' }), 'b'],
  ['one that can be used', { a: unusable, b: {} }, pod({}, {}, { user: { name: 'a,b' } }), 'b'],
])('of several policies %s counts', async (_what, policies, write, name) => {
  const attributes = attributesOf(write);
  expect(await outcomeOf(pluginWith(policies), attributes)).toBe('');
  expect(attributes.object?.metadata.annotations?.['orch.io/psp']).toBe(name);
});

const problem = 'spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used';

test.each<readonly [string, Readonly<Record<string, Policy>>, Write, string]>([
  ['there is no policy', {}, pod({}), 'no providers available to validate pod request'],
  ['nothing may be used', { a: {} }, pod({}), 'unable to admit pod: []'],
  [
    'only what may be used is told of',
    { p: forbids, q: forbids },
    pod({ hostPID: true }),
    `unable to admit pod: [${problem}]`,
  ],
])('refused where %s', async (_what, policies, write, outcome) => {
  expect(await outcomeOf(pluginWith(policies), attributesOf(write))).toBe(
    `403 PodSecurityPolicy: ${outcome}`,
  );
});

const update = (next: object, before: object): Write => ({
  ...{ resource: 'pods', operation: 'UPDATE', user: { name: 'p' } },
  ...{ object: next, oldObject: before },
});

test('updates are validated, and nothing is set', async () => {
  const plugin = pluginWith({ p: sets });
  const before = { metadata: {}, spec: { containers: [{ name: 'c' }] } };
  const labelled = { ...before, metadata: { labels: { a: 'b' } } };
  expect(await outcomeOf(plugin, attributesOf(update(labelled, before)))).toBe(
    '403 PodSecurityPolicy: unable to validate pod: []',
  );
  const complete = { ...labelled, spec: context({ allowPrivilegeEscalation: false }) };
  expect(await outcomeOf(plugin, attributesOf(update(complete, before)))).toBe('');
  const finalized = { ...before, metadata: { finalizers: ['example.com/x'] } };
  expect(await outcomeOf(plugin, attributesOf(update(finalized, before)))).toBe('');
});

test('the policy of the annotation is tried first on updates', async () => {
  const plugin = pluginWith({ a: {}, p: {} });
  const notes: string[] = [];
  const write = update(
    { metadata: { annotations: { 'orch.io/psp': 'p' }, labels: { a: 'b' } }, spec: {} },
    { spec: {} },
  );
  const attributes = attributesOf({ ...write, user: { name: 'a,p' } });
  const annotate = (key: string, value: string): void => {
    notes.push(`${key}: ${value}`);
  };
  expect(await outcomeOf(plugin, { ...attributes, scope: { ...attributes.scope, annotate } })).toBe('');
  expect(notes).toEqual(['podsecuritypolicy.policy.orch.io/validate-policy: p']);
});

test('other resources, and subresources of pods, are no matter of policies', async () => {
  const plugin = pluginWith({});
  for (const resource of ['pods/status', 'pods/binding', 'services'])
    expect(await outcomeOf(plugin, attributesOf({ resource, object: {} }))).toBe('');
});

test('of a hundred thousand errors some hundreds are collected', async () => {
  const count = 200_000;
  const supplementalGroups = { rule: 'MustRunAs', ranges: [{ min: 1, max: 2 }] };
  const plugin = pluginWith({ p: { supplementalGroups, hostPorts: [] } });
  const groups = Array.from({ length: count }, (_, i) => i + 3);
  const ports = groups.map((hostPort) => ({ hostPort }));
  for (const spec of [
    { securityContext: { supplementalGroups: groups } },
    { containers: [{ name: 'c', ports }] },
  ]) {
    const outcome = await outcomeOf(plugin, attributesOf(pod(spec)));
    expect(outcome).toMatch(/^403 .*(must be in the ranges|is not allowed to be used)/);
  }
  const strategy = groupStrategy(supplementalGroups);
  expect(strategy?.validate(FieldPath.of('spec'), groups)).toHaveLength(maxFieldErrors);
});
