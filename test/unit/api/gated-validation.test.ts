/** Rules that a feature gate loosens: refused where it is off, let pass where it is on, and on by default from which release on. */
import type { JsonObject } from '../../../src/base/json.ts';
import { newestRelease } from '../../../src/observe/release.ts';
import { dropGatedFields } from '../../../src/schema/gated-fields.ts';
import { contextWith, Kind } from '../../support/kind.ts';

const main = { name: 'main', image: 'nginx:1' };
const pod = (spec: JsonObject): JsonObject => ({ spec: { containers: [main], ...spec } });
const container = (more: JsonObject): JsonObject => pod({ containers: [{ ...main, ...more }] });
const search = (...searches: string[]): JsonObject => pod({ dnsConfig: { searches } });
const ports = [
  { name: 'a', port: 80, protocol: 'TCP' },
  { name: 'b', port: 80, protocol: 'UDP' },
];
const storage = { accessModes: ['ReadWriteOncePod'], resources: { requests: { storage: '1Gi' } } };

interface Gated {
  readonly gate: string;
  /** First release that has it on; absent: none. */
  readonly on?: number;
  /** First release that knows the field or value; absent: 1.21. */
  readonly known?: number;
  readonly kind: string;
  readonly sent: JsonObject;
  /** Where it is refused. */
  readonly field: string;
}

const relaxedNames = { gate: 'RelaxedEnvironmentVariableValidation', on: 32, kind: 'pods' };
const cases: readonly Gated[] = [
  {
    ...relaxedNames,
    sent: container({ env: [{ name: '1st/a b' }] }),
    field: 'spec.containers[0].env[0].name',
  },
  {
    ...relaxedNames,
    sent: container({ envFrom: [{ prefix: '1', secretRef: { name: 'a' } }] }),
    field: 'spec.containers[0].envFrom[0].prefix',
  },
  {
    ...{ gate: 'RelaxedDNSSearchValidation', on: 33, kind: 'pods' },
    sent: search('.', '_tcp.example.com'),
    field: 'spec.dnsConfig.searches[0]',
  },
  {
    ...{ gate: 'ExpandedDNSConfig', on: 26, kind: 'pods' },
    sent: search('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    field: 'spec.dnsConfig.searches',
  },
  {
    ...{ gate: 'PodLifecycleSleepActionAllowZero', on: 33, known: 29, kind: 'pods' },
    sent: container({ lifecycle: { preStop: { sleep: { seconds: 0 } } } }),
    field: 'spec.containers[0].lifecycle.preStop.sleep.seconds',
  },
  {
    ...{ gate: 'UserNamespacesHostNetworkSupport', known: 33, kind: 'pods' },
    sent: pod({ hostUsers: false, hostNetwork: true }),
    field: 'spec.hostNetwork',
  },
  {
    ...{ gate: 'TaintTolerationComparisonOperators', known: 35, kind: 'pods' },
    sent: pod({ tolerations: [{ key: 'a', operator: 'Gt', value: '5' }] }),
    field: 'spec.tolerations[0].operator',
  },
  {
    ...{ gate: 'ReadWriteOncePod', on: 27, kind: 'persistentvolumeclaims' },
    sent: { spec: storage },
    field: 'spec.accessModes',
  },
  {
    ...{ gate: 'MixedProtocolLBService', on: 24, kind: 'services' },
    sent: { spec: { type: 'LoadBalancer', ports } },
    field: 'spec.ports',
  },
  {
    ...{ gate: 'RelaxedServiceNameValidation', on: 36, kind: 'services' },
    sent: { metadata: { name: '1st' }, spec: { ports: [{ port: 80 }] } },
    field: 'metadata.name',
  },
];

test.each(cases)('$gate from $on on', ({ gate, on = Infinity, known = 21, kind: name, sent, field }) => {
  const errors = (minor: number, how: { on?: string[]; off?: string[] } = {}): string[] => {
    const release = { major: 1, minor };
    const kind = new Kind(name, contextWith({ release, ...how }), release);
    return kind
      .createErrors({
        ...sent,
        metadata: { name: 'a', namespace: 'default', ...(sent['metadata'] as JsonObject) },
      })
      .map((error) => error.field);
  };
  for (let minor = known; minor <= newestRelease.minor; minor++) {
    expect([minor, errors(minor).includes(field)]).toEqual([minor, minor < on]);
  }
  expect(errors(newestRelease.minor, { on: [gate] })).toEqual([]);
  expect(errors(newestRelease.minor, { off: [gate] })).toContain(field);
});

test('what a load balancer reports is of a service that has one, from release 1.29 on', () => {
  const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } };
  const errors = (minor: number, on: string[] = []): unknown[] => {
    const release = { major: 1, minor };
    const kind = new Kind('services', contextWith({ release, on }), release);
    const sent = { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
    return kind.updateErrors(kind.created(sent), { ...sent, status }, 'status');
  };
  expect([errors(28).length, errors(29).length, errors(36).length]).toEqual([0, 1, 1]);
  expect(errors(30, ['AllowServiceLBStatusOnNonLB'])).toEqual([]);
});

test('nothing is kept of the version of the proxy of a node, from release 1.33 on', () => {
  const sent = { metadata: { name: 'a' }, status: { nodeInfo: { kubeProxyVersion: 'v1' } } };
  const version = (minor: number): unknown => {
    const release = { major: 1, minor };
    const { status } = new Kind('nodes', contextWith({ release }), release).created(sent);
    return (status as { nodeInfo: JsonObject }).nodeInfo['kubeProxyVersion'];
  };
  expect([version(32), version(33)]).toEqual(['v1', '']);
});

test('templates of pods in the network of the host get no ports of the host, from release 1.28 on', () => {
  const spec = { hostNetwork: true, containers: [{ ...main, ports: [{ containerPort: 80 }] }] };
  const hostPort = (minor: number, on: string[] = []): unknown => {
    const release = { major: 1, minor };
    const kind = new Kind('podtemplates', contextWith({ release, on }), release);
    return JSON.stringify(kind.created({ metadata: { name: 'a' }, template: { spec } })).includes('hostPort');
  };
  expect([hostPort(27), hostPort(28), hostPort(36)]).toEqual([true, false, false]);
  expect(hostPort(28, ['DefaultHostNetworkHostPortsInPodTemplates'])).toBe(true);
});

const template = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
const dropped: readonly { gate: string; release: number; sent: JsonObject; at: readonly string[] }[] = [
  { gate: 'PodOverhead', release: 21, sent: pod({ overhead: { cpu: '1' } }), at: ['spec', 'overhead'] },
  {
    gate: 'SetHostnameAsFQDN',
    release: 21,
    sent: pod({ setHostnameAsFQDN: true }),
    at: ['spec', 'setHostnameAsFQDN'],
  },
  {
    ...{
      gate: 'ConfigurableFSGroupPolicy',
      release: 21,
      at: ['spec', 'securityContext', 'fsGroupChangePolicy'],
    },
    sent: pod({ securityContext: { fsGroupChangePolicy: 'Always' } }),
  },
  {
    ...{ gate: 'GenericEphemeralVolume', release: 21, at: ['spec', 'volumes', '0', 'ephemeral'] },
    sent: pod({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: template } }] }),
  },
  {
    ...{ gate: 'AppArmorFields', release: 30, at: ['spec', 'securityContext', 'appArmorProfile'] },
    sent: pod({ securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }),
  },
  {
    ...{ gate: 'PodHostIPs', release: 29, at: ['status', 'hostIPs'] },
    sent: { ...pod({}), status: { hostIPs: [{ ip: '10.0.0.1' }] } },
  },
];

test.each(dropped)('$gate off drops a field, and keeps it on', ({ gate, release: minor, sent, at }) => {
  const release = { major: 1, minor };
  const left = (options: { off?: string[] }): unknown => {
    const kind = new Kind('pods', contextWith({ release, ...options }), release);
    const object = kind.decode(sent) as unknown as JsonObject;
    dropGatedFields(kind.schema, object, kind.context.isFeatureEnabled);
    return at.reduce<unknown>((value, name) => (value as JsonObject | undefined)?.[name], object);
  };
  expect([left({}) === undefined, left({ off: [gate] })]).toEqual([false, undefined]);
});
