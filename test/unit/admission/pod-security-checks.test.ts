/** The checks of PodSecurity: what each level refuses, in which release, and in which words. */
import { describeViolations, violationsOf } from '../../../src/admission/pod-security/evaluate.ts';
import type { Level } from '../../../src/admission/pod-security/levels.ts';
import type { PodSpec } from '../../../src/api/core/v1.types.ts';
import { naming } from '../../support/admission.ts';

function found(at: string, spec: PodSpec, annotations: Record<string, string> = {}, newest = 22): string {
  const [level, version] = at.split(':') as [Level, string];
  return describeViolations(violationsOf({ level, version }, { annotations, spec, naming, newest }));
}

const c = (securityContext: object, name = 'c'): object => ({ name, securityContext });
const one = (securityContext: object): PodSpec => ({ containers: [c(securityContext)] });
const two = (securityContext: object): PodSpec => ({
  initContainers: [c(securityContext, 'i')],
  containers: [c(securityContext)],
});

test.each<readonly [string, PodSpec, string]>([
  ['nothing', { containers: [{ name: 'c' }] }, ''],
  [
    'namespaces of the host',
    { hostNetwork: true, hostPID: false, hostIPC: true },
    'host namespaces (hostNetwork=true, hostIPC=true)',
  ],
  [
    'privileges',
    one({ privileged: true }),
    'privileged (container "c" must not set securityContext.privileged=true)',
  ],
  [
    'privileges of two',
    two({ privileged: true }),
    'privileged (containers "i", "c" must not set securityContext.privileged=true)',
  ],
  [
    'privileges of an ephemeral container',
    { ephemeralContainers: [c({ privileged: true }, 'e')] },
    'privileged (container "e" must not set securityContext.privileged=true)',
  ],
  [
    'capabilities',
    one({ capabilities: { add: ['SYS_TIME', 'CHOWN', 'NET_RAW'] } }),
    'non-default capabilities (container "c" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
  ],
  [
    'paths of the host',
    {
      volumes: [
        { name: 'v', hostPath: { path: '/' } },
        { name: 'w', emptyDir: {} },
      ],
    },
    'hostPath volumes (volume "v")',
  ],
  [
    'ports of the host',
    { containers: [{ name: 'c', ports: [{ hostPort: 80 }, { hostPort: 0 }, { hostPort: 443 }] }] },
    'hostPort (container "c" uses hostPorts 443, 80)',
  ],
  [
    'a way of mounting /proc',
    two({ procMount: 'Unmasked' }),
    'procMount (containers "i", "c" must not set securityContext.procMount to "Unmasked")',
  ],
  ['the usual way of mounting /proc', one({ procMount: 'Default' }), ''],
  [
    'SELinux',
    {
      securityContext: { seLinuxOptions: { type: 'x', user: 'u' } },
      ...one({ seLinuxOptions: { type: 'y', role: 'r' } }),
    },
    'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: types "x", "y"; ' +
      'user may not be set; role may not be set)',
  ],
  ['an allowed SELinux type', one({ seLinuxOptions: { type: 'container_t', level: 's0' } }), ''],
  [
    'seccomp',
    {
      securityContext: { seccompProfile: { type: 'Unconfined' } },
      ...one({ seccompProfile: { type: 'Localhost' } }),
    },
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    'sysctls',
    { securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced' }, { name: 'vm.x' }] } },
    'forbidden sysctls (vm.x)',
  ],
])('baseline: %s', (_what, spec, outcome) => {
  expect(found('baseline:latest', spec)).toBe(outcome);
  expect(found('privileged:latest', spec)).toBe('');
});

const strict = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const seccompProfile = { type: 'RuntimeDefault' };
const good: PodSpec = {
  securityContext: { runAsNonRoot: true, seccompProfile },
  containers: [c(strict), c({ ...strict, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }, 'd')],
};

test.each<readonly [string, string, PodSpec, string]>([
  ['a good pod', 'latest', good, ''],
  [
    'a good pod whose containers say it themselves',
    'latest',
    one({ ...strict, runAsNonRoot: true, seccompProfile: { type: 'Localhost', localhostProfile: 'x' } }),
    '',
  ],
  [
    'a plain pod',
    'latest',
    { containers: [{ name: 'c' }] },
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    'a plain pod in release 1.21',
    'v1.21',
    { ...good, containers: [c({ allowPrivilegeEscalation: false })] },
    '',
  ],
  [
    'a plain pod in release 1.7',
    'v1.7',
    { containers: [{ name: 'c' }] },
    'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
  ],
  ['a release to come', 'v1.99', good, ''],
  [
    'capabilities',
    'v1.22',
    { ...good, containers: [c({ ...strict, capabilities: { drop: ['ALL'], add: ['CHOWN'] } })] },
    'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
  ],
  [
    'volumes',
    'latest',
    {
      ...good,
      volumes: [
        { name: 'n', nfs: {} },
        { name: 'm', nfs: {} },
        { name: 's', secret: {} },
      ],
    },
    'restricted volume types (volumes "n", "m" use restricted volume type "nfs")',
  ],
  [
    'root, said so',
    'latest',
    {
      ...good,
      securityContext: { runAsNonRoot: false, seccompProfile },
      containers: [c({ ...strict, runAsNonRoot: false })],
    },
    'runAsNonRoot != true (pod and container "c" must not set securityContext.runAsNonRoot=false)',
  ],
])('restricted: %s', (_what, version, spec, outcome) => {
  expect(found(`restricted:${version}`, spec)).toBe(outcome);
});

test('annotations of AppArmor count always, those of seccomp before release 1.19', () => {
  const armor = 'container.apparmor.security.beta.orch.io';
  const annotations = { [`${armor}/c`]: 'unconfined', [`${armor}/d`]: 'localhost/x' };
  expect(found('baseline:latest', {}, annotations)).toBe(
    `forbidden AppArmor profile (${armor}/c="unconfined")`,
  );
  const key = 'seccomp.security.alpha.orch.io/pod';
  const unconfined = { [key]: 'unconfined' };
  expect(found('baseline:v1.18', {}, unconfined)).toBe(
    `seccompProfile (forbidden annotation ${key}="unconfined")`,
  );
  expect(found('baseline:v1.18', {}, { [key]: 'docker/default' })).toBe('');
  expect(found('baseline:v1.19', {}, unconfined)).toBe('');
});

test('any number of forbidden values is reported', () => {
  const add = Array.from({ length: 200_000 }, (_, i) => `CAP${String(i)}`);
  expect(found('baseline:latest', one({ capabilities: { add } }))).toMatch(/^non-default capabilities/);
});

/** Level, first version with the other outcome, the pod, the outcome before, and from then on. */
type Change = readonly [string, number, PodSpec, string, string];

describe('checks that came with a release count from its version on', () => {
  const pod = (more: PodSpec, context: object = {}): PodSpec => ({
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    ...more,
    containers: [c({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, ...context })],
  });
  const sysctls = (...names: readonly string[]): PodSpec => ({
    securityContext: { sysctls: names.map((name) => ({ name, value: '1' })) },
  });
  const user = { hostUsers: false };
  const hosts: PodSpec = {
    containers: [
      { name: 'a', livenessProbe: { httpGet: { host: 'h2' } }, startupProbe: { tcpSocket: { host: 'h1' } } },
      { name: 'b', lifecycle: { preStop: { httpGet: { host: 'h1' } } }, readinessProbe: { httpGet: {} } },
    ],
  };
  const windows = {
    os: { name: 'windows' },
    securityContext: { runAsNonRoot: true },
    containers: [{ name: 'c' }],
  };

  test.each<readonly [string, Change]>([
    [
      'the root user',
      [
        'restricted',
        23,
        pod({}, { runAsUser: 0 }),
        '',
        'runAsUser=0 (container "c" must not set runAsUser=0)',
      ],
    ],
    [
      'reserved ports',
      [
        'baseline',
        27,
        sysctls('net.ipv4.ip_local_reserved_ports'),
        'forbidden sysctls (net.ipv4.ip_local_reserved_ports)',
        '',
      ],
    ],
    [
      'times of connections',
      [
        'baseline',
        29,
        sysctls('net.ipv4.tcp_fin_timeout'),
        'forbidden sysctls (net.ipv4.tcp_fin_timeout)',
        '',
      ],
    ],
    [
      'buffers of connections',
      [
        'baseline',
        32,
        sysctls('net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'),
        'forbidden sysctls (net.ipv4.tcp_rmem, net.ipv4.tcp_wmem)',
        '',
      ],
    ],
    [
      'a type of SELinux',
      [
        'baseline',
        31,
        one({ seLinuxOptions: { type: 'container_engine_t' } }),
        'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
        '',
      ],
    ],
    [
      'hosts of probes and handlers',
      [
        'baseline',
        34,
        hosts,
        '',
        'probe or lifecycle host (containers "a", "b" use probe or lifecycle hosts "h1", "h2")',
      ],
    ],
    [
      '/proc of a user namespace',
      [
        'baseline',
        35,
        { ...one({ procMount: 'Unmasked' }), ...user },
        'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
        '',
      ],
    ],
    [
      'root of a user namespace',
      [
        'restricted',
        35,
        pod(user, { runAsUser: 0 }),
        'runAsUser=0 (container "c" must not set runAsUser=0)',
        '',
      ],
    ],
    [
      'root of a user namespace, perhaps',
      [
        'restricted',
        35,
        pod(user, { runAsNonRoot: false }),
        'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
        '',
      ],
    ],
    [
      'a pod of Windows',
      [
        'restricted',
        25,
        windows,
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
        '',
      ],
    ],
  ])('%s', (_, [level, since, spec, before, later]) => {
    const at = (version: string, newest = 36): string => found(`${level}:${version}`, spec, {}, newest);
    expect(at(`v1.${String(since - 1)}`)).toBe(before);
    expect(at(`v1.${String(since)}`)).toBe(later);
    expect(at('latest')).toBe(later);
    // A server of an older release knows nothing newer.
    expect(at('latest', since - 1)).toBe(before);
    expect(at('v1.36', since - 1)).toBe(before);
  });

  test('/proc stays restricted in a user namespace, and a pod that is root elsewhere is refused', () => {
    const unmasked = 'procMount (container "c" must not set securityContext.procMount to "Unmasked")';
    expect(found('restricted:latest', pod(user, { procMount: 'Unmasked' }), {}, 36)).toBe(unmasked);
    expect(found('restricted:latest', pod({}, { procMount: 'Unmasked' }), {}, 36)).toBe(unmasked);
    expect(found('restricted:latest', pod({ hostUsers: true }, { runAsUser: 0 }), {}, 36)).toMatch(
      /runAsUser=0/,
    );
  });

  test('processes of the host, AppArmor by fields, and volumes of images', () => {
    const process = { windowsOptions: { hostProcess: true } };
    expect(found('baseline:latest', { securityContext: process, ...one(process) }, {}, 36)).toBe(
      'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
    );
    const profile = { appArmorProfile: { type: 'Unconfined' } };
    expect(found('baseline:latest', { securityContext: profile, ...one(profile) }, {}, 36)).toBe(
      'forbidden AppArmor profile (pod and container "c" must not set AppArmor profile type to "Unconfined")',
    );
    expect(found('baseline:latest', one({ appArmorProfile: { type: 'Localhost' } }), {}, 36)).toBe('');
    expect(found('restricted:latest', pod({ volumes: [{ name: 'v', image: {} }] }), {}, 36)).toBe('');
  });
});
