import type { JsonObject } from '../../../src/base/json.ts';
import { brief, contextWith, Kind, testErrors, withValue } from '../../support/kind.ts';

const kind = new Kind('pods');
const minimal: JsonObject = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'nginx:1.21' }] },
};
const main = 'spec.containers.0';
const at = 'spec.containers[0]';

describe('containers', () => {
  testErrors(kind, minimal, [
    ['spec.containers', [], 'spec.containers Required'],
    [`${main}.name`, 'Main', `${at}.name Invalid`],
    [`${main}.image`, '', `${at}.image Required`],
    [`${main}.image`, ' nginx', `${at}.image Invalid`],
    [`${main}.imagePullPolicy`, 'Sometimes', `${at}.imagePullPolicy NotSupported`],
    ['spec.initContainers', [{ name: 'main', image: 'x' }], 'spec.initContainers[0].name Duplicate'],
    [
      'spec.initContainers',
      [{ name: 'init', image: 'x', livenessProbe: { exec: { command: ['a'] } } }],
      'spec.initContainers[0].livenessProbe Invalid',
    ],
    [`${main}.ports`, [{ containerPort: 0 }], `${at}.ports[0].containerPort Required`],
    [`${main}.ports`, [{ containerPort: 70000 }], `${at}.ports[0].containerPort Invalid`],
    [
      `${main}.ports`,
      [
        { name: 'a', containerPort: 80, hostPort: 80 },
        { name: 'a', containerPort: 80, hostPort: 80 },
      ],
      `${at}.ports[1].hostPort Duplicate`,
      `${at}.ports[1].name Duplicate`,
    ],
    [`${main}.ports`, [{ name: 'Web_Port', containerPort: 80 }], `${at}.ports[0].name Invalid`],
    [`${main}.env`, [{ name: '1A' }], `${at}.env[0].name Invalid`],
    [`${main}.env`, [{ name: 'A', valueFrom: {} }], `${at}.env[0].valueFrom Invalid`],
    [
      `${main}.env`,
      [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.hostname' } } }],
      `${at}.env[0].valueFrom.fieldRef.fieldPath NotSupported`,
    ],
    [`${main}.env`, [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } }]],
    [
      `${main}.env`,
      [{ name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: '', key: 'a/b' } } }],
      `${at}.env[0].valueFrom Invalid`,
      `${at}.env[0].valueFrom.secretKeyRef.key Invalid`,
      `${at}.env[0].valueFrom.secretKeyRef.name Required`,
    ],
    [
      `${main}.env`,
      [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '3' } } }],
      `${at}.env[0].valueFrom.resourceFieldRef.divisor Invalid`,
    ],
    [`${main}.envFrom`, [{}], `${at}.envFrom[0] Invalid`],
    [`${main}.livenessProbe`, {}, `${at}.livenessProbe Required`],
    [
      `${main}.livenessProbe`,
      { httpGet: { port: 80 }, successThreshold: 2, periodSeconds: -1 },
      `${at}.livenessProbe.periodSeconds Invalid`,
      `${at}.livenessProbe.successThreshold Invalid`,
    ],
    [
      `${main}.readinessProbe`,
      { httpGet: { port: 80 }, tcpSocket: { port: 0 } },
      `${at}.readinessProbe.tcpSocket Forbidden`,
      `${at}.readinessProbe.tcpSocket.port Invalid`,
    ],
    [`${main}.lifecycle`, { preStop: { exec: {} } }, `${at}.lifecycle.preStop.exec.command Required`],
  ]);
});

describe('resources', () => {
  testErrors(kind, minimal, [
    [
      `${main}.resources`,
      { requests: { cpu: '2' }, limits: { cpu: '1' } },
      `${at}.resources.requests Invalid`,
    ],
    [
      `${main}.resources`,
      { limits: { cpu: '-1' } },
      `${at}.resources.limits[cpu] Invalid`,
      `${at}.resources.requests[cpu] Invalid`,
    ],
    [`${main}.resources`, { requests: { disk: '1' } }, `${at}.resources.requests[disk] Invalid`],
    [`${main}.resources`, { requests: { 'example.com/gpu': '1' } }, `${at}.resources.requests Required`],
    [
      `${main}.resources`,
      { limits: { 'example.com/gpu': '500m' }, requests: { 'example.com/gpu': '500m' } },
      `${at}.resources.limits[example.com/gpu] Invalid`,
      `${at}.resources.requests[example.com/gpu] Invalid`,
    ],
    [
      `${main}.resources`,
      { limits: { 'hugepages-2Mi': '4Mi' }, requests: { 'hugepages-2Mi': '4Mi' } },
      `${at}.resources Forbidden`,
    ],
  ]);
});

describe('volumes', () => {
  const mounted = withValue(minimal, `${main}.volumeMounts`, [{ name: 'data', mountPath: '/data' }]);
  const whole = withValue(mounted, 'spec.volumes', [{ name: 'data' }]);
  testErrors(kind, whole, [
    ['spec.volumes', undefined, `${at}.volumeMounts[0].name NotFound`],
    ['spec.volumes.0.name', 'Data', 'spec.volumes[0].name Invalid', `${at}.volumeMounts[0].name NotFound`],
    ['spec.volumes.1', { name: 'data' }, 'spec.volumes[1].name Duplicate'],
    [
      'spec.volumes.0',
      { name: 'data', hostPath: { path: '../up' }, emptyDir: {} },
      'spec.volumes[0].hostPath Forbidden',
    ],
    [
      'spec.volumes.0',
      { name: 'data', secret: { secretName: 's' }, hostPath: { path: '../up' } },
      'spec.volumes[0].hostPath.path Invalid',
      'spec.volumes[0].secret Forbidden',
    ],
    ['spec.volumes.0.secret', {}, 'spec.volumes[0].secret.secretName Required'],
    [
      'spec.volumes.0.configMap',
      { name: 'c', defaultMode: 4096, items: [{ key: 'k', path: '../up' }] },
      'spec.volumes[0].configMap.defaultMode Invalid',
      'spec.volumes[0].configMap.items[0].path Invalid',
    ],
    ['spec.volumes.0.nfs', { server: 's', path: 'rel' }, 'spec.volumes[0].nfs.path Invalid'],
    [
      'spec.volumes.0.downwardAPI',
      { items: [{ path: 'a' }] },
      'spec.volumes[0].downwardAPI.items[0] Required',
    ],
    [
      'spec.volumes.0.projected',
      {
        sources: [
          { secret: { name: 's', items: [{ key: 'k', path: 'a' }] } },
          { configMap: { name: 'c', items: [{ key: 'k', path: 'a' }] } },
          { serviceAccountToken: { path: 'token', expirationSeconds: 10 } },
        ],
      },
      'spec.volumes[0].projected.sources[1] Invalid',
      'spec.volumes[0].projected.sources[2].serviceAccountToken.expirationSeconds Invalid',
    ],
    [
      'spec.volumes.0.ephemeral',
      { volumeClaimTemplate: { spec: {} } },
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes Required',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage] Required',
    ],
    ['spec.volumes.0.csi', { driver: 'not a driver' }, 'spec.volumes[0].csi.driver Invalid'],
    [
      `${main}.volumeMounts.1`,
      { name: 'data', mountPath: '/data', subPath: '/abs', mountPropagation: 'Bidirectional' },
      `${at}.volumeMounts[1].mountPath Invalid`,
      `${at}.volumeMounts[1].mountPropagation Forbidden`,
      `${at}.volumeMounts[1].subPath Invalid`,
    ],
    [
      `${main}.volumeDevices`,
      [{ name: 'data', devicePath: '/dev/x' }],
      `${at}.volumeDevices[0].name Invalid`,
      `${at}.volumeDevices[0].name Invalid`,
    ],
  ]);
});

describe('the rest of the spec', () => {
  testErrors(kind, minimal, [
    ['metadata.name', 'Web', 'metadata.name Invalid'],
    ['metadata.namespace', '', 'metadata.namespace Required'],
    ['spec.restartPolicy', 'Perhaps', 'spec.restartPolicy NotSupported'],
    ['spec.activeDeadlineSeconds', 0, 'spec.activeDeadlineSeconds Invalid'],
    ['spec.nodeSelector', { 'a b': 'c' }, 'spec.nodeSelector Invalid'],
    ['spec.hostname', 'a.b', 'spec.hostname Invalid'],
    ['spec.serviceAccountName', 'A', 'spec.serviceAccountName Invalid'],
    ['spec.imagePullSecrets', [{}], 'spec.imagePullSecrets[0].name Required'],
    [
      'spec.hostAliases',
      [{ ip: 'x', hostnames: ['A'] }],
      'spec.hostAliases[0].hostnames[0] Invalid',
      'spec.hostAliases[0].ip Invalid',
    ],
    ['spec.dnsPolicy', 'None', 'spec.dnsConfig.nameservers Required'],
    [
      'spec.dnsConfig',
      { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', 'x'], options: [{}] },
      'spec.dnsConfig.nameservers Invalid',
      'spec.dnsConfig.nameservers[3] Invalid',
      'spec.dnsConfig.options[0] Required',
    ],
    [
      'spec.securityContext',
      { runAsUser: -1, sysctls: [{ name: 'a.b' }, { name: 'a.b' }] },
      'spec.securityContext.runAsUser Invalid',
      'spec.securityContext.sysctls[1].name Duplicate',
    ],
    [
      'spec.securityContext',
      { seccompProfile: { type: 'Localhost' } },
      'spec.securityContext.seccompProfile.localhostProfile Required',
    ],
    [
      `${main}.securityContext`,
      { allowPrivilegeEscalation: false, privileged: true },
      `${at}.securityContext Invalid`,
    ],
    ['spec.tolerations', [{ operator: 'Equal' }], 'spec.tolerations[0].operator Invalid'],
    [
      'spec.tolerations',
      [{ key: 'a', operator: 'Exists', value: 'x' }],
      'spec.tolerations[0].operator Invalid',
    ],
    ['spec.tolerations', [{ key: 'a', tolerationSeconds: 3 }], 'spec.tolerations[0].effect Invalid'],
    ['spec.tolerations', [{ key: 'a', operator: 'Maybe' }], 'spec.tolerations[0].operator NotSupported'],
    [
      'spec.topologySpreadConstraints',
      [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'DoNotSchedule' }],
      'spec.topologySpreadConstraints[0].maxSkew Invalid',
      'spec.topologySpreadConstraints[0].topologyKey Required',
    ],
    ['spec.readinessGates', [{ conditionType: '' }], 'spec.readinessGates[0].conditionType Invalid'],
    ['spec.ephemeralContainers', [{ name: 'debug', image: 'x' }]],
    ['spec.shareProcessNamespace', true],
  ]);

  test('affinity', () => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 0, preference: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
        ],
      },
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ namespaces: ['A'], labelSelector: {} }],
      },
    };
    const spec = 'spec.affinity';
    const node = `${spec}.nodeAffinity`;
    expect(brief(kind.createErrors(withValue(minimal, spec, affinity)))).toEqual([
      `${node}.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values Required`,
      `${node}.preferredDuringSchedulingIgnoredDuringExecution[0].weight Invalid`,
      `${node}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms Required`,
      `${spec}.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaces[0] Invalid`,
      `${spec}.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey Required`,
    ]);
  });

  test('ephemeral containers may not be there from the start where their gate is on', () => {
    const gated = new Kind('pods', contextWith({ on: ['EphemeralContainers'] }));
    const sent = withValue(minimal, 'spec.ephemeralContainers', [{ name: 'debug', image: 'x' }]);
    expect(brief(gated.createErrors(sent))).toEqual(['spec.ephemeralContainers Forbidden']);
  });
});
