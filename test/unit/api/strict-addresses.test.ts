/** Feature gate StrictIPCIDRValidation in both states and by release: which texts of addresses are refused, let pass, warned of. */
import type { JsonObject } from '../../../src/base/json.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { isOfFormat } from '../../../src/schema/structural/formats.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';
import { contextWith, Kind, withValue } from '../../support/kind.ts';

const gate = 'StrictIPCIDRValidation';

function kindIn(name: string, minor: number, settings: Readonly<Record<string, boolean>> = {}): Kind {
  const release = { major: 1, minor };
  const all = [...createFeatureGates(settings, featuresOf(release)).all()];
  const names = (isOn: boolean) => all.filter(([, on]) => on === isOn).map(([each]) => each);
  return new Kind(name, contextWith({ release, on: names(true), off: names(false) }), release);
}

const messages = (kind: Kind, sent: JsonObject) =>
  kind.createErrors(sent).map(({ field, message }) => `${field}: ${message}`);

const pod = { metadata: { name: 'p', namespace: 'x' }, spec: { containers: [{ name: 'c', image: 'a:1' }] } };
const template = { metadata: { labels: { a: 'b' } }, spec: { ...pod.spec, restartPolicy: 'Always' } };
const jobTemplate = { spec: { ...pod.spec, restartPolicy: 'Never' } };
const selector = { matchLabels: { a: 'b' } };
const metadata = { name: 'n', namespace: 'x' };
const balancer = { metadata, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } };
const policy = { metadata, spec: { podSelector: {} } };
const slice = { metadata, addressType: 'IPv4', endpoints: [] };
const node = { metadata: { name: 'n' }, spec: {} };

/** Kind, the least of it, the field, and how an address becomes its value. */
const fields: readonly (readonly [string, JsonObject, string, (address: string) => unknown, string])[] = [
  ['pods', pod, 'spec.dnsConfig', (ip) => ({ nameservers: [ip] }), 'spec.dnsConfig.nameservers[0]'],
  ['pods', pod, 'spec.hostAliases', (ip) => [{ ip, hostnames: ['a'] }], 'spec.hostAliases[0].ip'],
  ...(['deployments', 'replicasets', 'statefulsets', 'daemonsets'] as const).map(
    (kind) =>
      [
        `${kind}.apps`,
        { metadata, spec: { selector, template, ...(kind === 'statefulsets' && { serviceName: 's' }) } },
        'spec.template.spec.hostAliases',
        (ip: string) => [{ ip }],
        'spec.template.spec.hostAliases[0].ip',
      ] as const,
  ),
  [
    'jobs.batch',
    { metadata, spec: { template: jobTemplate } },
    'spec.template.spec.hostAliases',
    (ip) => [{ ip }],
    'spec.template.spec.hostAliases[0].ip',
  ],
  [
    'cronjobs.batch',
    { metadata, spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } } },
    'spec.jobTemplate.spec.template.spec.hostAliases',
    (ip) => [{ ip }],
    'spec.jobTemplate.spec.template.spec.hostAliases[0].ip',
  ],
  [
    'podtemplates',
    { metadata, template },
    'template.spec.hostAliases',
    (ip) => [{ ip }],
    'template.spec.hostAliases[0].ip',
  ],
  [
    'replicationcontrollers',
    { metadata, spec: { selector: { a: 'b' }, template } },
    'spec.template.spec.hostAliases',
    (ip) => [{ ip }],
    'spec.template.spec.hostAliases[0].ip',
  ],
  ['services', balancer, 'spec.externalIPs', (ip) => [ip], 'spec.externalIPs[0]'],
  [
    'services',
    { metadata, spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.1' } },
    'spec',
    (ip) => ({ ports: [{ port: 80 }], clusterIP: ip, clusterIPs: [ip] }),
    'spec.clusterIPs[0]',
  ],
  [
    'endpoints',
    { metadata },
    'subsets',
    (ip) => [{ addresses: [{ ip }], ports: [{ port: 80 }] }],
    'subsets[0].addresses[0].ip',
  ],
  [
    'endpointslices.discovery',
    slice,
    'endpoints',
    (ip) => [{ addresses: [ip] }],
    'endpoints[0].addresses[0]',
  ],
];

const blocks: typeof fields = [
  [
    'services',
    balancer,
    'spec.loadBalancerSourceRanges',
    (block) => [` ${block}`],
    'spec.loadBalancerSourceRanges[0]',
  ],
  [
    'networkpolicies.networking',
    policy,
    'spec.ingress',
    (cidr) => [{ from: [{ ipBlock: { cidr } }] }],
    'spec.ingress[0].from[0].ipBlock.cidr',
  ],
  [
    'networkpolicies.networking',
    policy,
    'spec.egress',
    (cidr) => [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: [cidr] } }] }],
    'spec.egress[0].to[0].ipBlock.except[0]',
  ],
  ['nodes', node, 'spec.podCIDRs', (block) => [block], 'spec.podCIDRs[0]'],
];

const badAddresses: readonly (readonly [string, string])[] = [
  ['010.0.0.5', 'must not have leading 0s'],
  ['::ffff:10.0.0.5', 'must not be an IPv4-mapped IPv6 address'],
];
const badBlocks: readonly (readonly [string, string])[] = [
  ['010.1.0.0/16', 'must not have leading 0s in IP or prefix length'],
  ['10.1.0.0/016', 'must not have leading 0s in IP or prefix length'],
  ['::ffff:10.1.0.0/112', 'must not have an IPv4-mapped IPv6 address'],
  ['10.1.2.3/16', 'must not have bits set beyond the prefix length'],
];
const cases = [
  ...fields.flatMap((field) => badAddresses.map((bad) => [...field, ...bad] as const)),
  ...blocks.flatMap((field) => badBlocks.map((bad) => [...field, ...bad] as const)),
];

describe.each(cases)('%s %# %s', (...each) => {
  const [name, minimal, at, valueOf, field, bad, problem] = each;
  const sent = withValue(minimal, at, valueOf(bad));

  test.each([
    [21, {}, false],
    [32, {}, false],
    [33, {}, false],
    [33, { [gate]: true }, true],
    [35, {}, false],
    [36, {}, true],
    [36, { [gate]: false }, false],
  ])(`${field} ${bad} in 1.%d with %j is refused: %s`, (minor, settings, isRefused) => {
    const found = messages(kindIn(name, minor, settings), sent);
    expect(found).toEqual(isRefused ? [expect.stringMatching(problem)] : []);
    if (isRefused) expect(found[0]?.startsWith(`${field}: `)).toBe(true);
  });

  test('an update that leaves it alone is let pass, one that brings it is not', () => {
    const kind = kindIn(name, 36);
    const before = kindIn(name, 36, { [gate]: false }).created(sent);
    const next = withValue(
      withValue(sent, 'metadata.labels', { changed: 'yes' }),
      'metadata.resourceVersion',
      '1',
    );
    const ofAddresses = (errors: readonly { message: string }[]) =>
      errors.filter(({ message }) => message.includes(problem)).length;
    expect(ofAddresses(kind.updateErrors(before, next))).toBe(0);
    expect(ofAddresses(kind.updateErrors(kind.created(minimal), next))).toBe(1);
  });
});

test.each([
  ['10.0.0.5', undefined],
  ['2001:db8::5', undefined],
  [
    '010.0.0.5',
    'non-standard IP address "010.0.0.5" will be considered invalid in a future Kubernetes release: use "10.0.0.5"',
  ],
  [
    '::ffff:10.0.0.5',
    'non-standard IP address "::ffff:10.0.0.5" will be considered invalid in a future Kubernetes release: use "10.0.0.5"',
  ],
  [
    '2001:DB8:0:0::5',
    'IPv6 address "2001:DB8:0:0::5" should be in RFC 5952 canonical format ("2001:db8::5")',
  ],
])('a pod with the name server %s is warned of from 1.33 on: %s', (address, warning) => {
  const sent = withValue(pod, 'spec.dnsConfig', { nameservers: [address] });
  const told = [32, 33, 36].map((minor) => {
    const kind = kindIn('pods', minor, minor < 33 ? {} : { [gate]: false });
    return kind.definition.strategy.warnings?.(kind.created(sent), kind.context);
  });
  const expected = warning === undefined ? [] : [`spec.dnsConfig.nameservers[0]: ${warning}`];
  expect(told).toEqual([[], expected, expected]);
});

test.each([
  ['10.0.0.0/8', []],
  ['fd00::/8', []],
  [
    '10.1.0.0/8',
    ['CIDR value "10.1.0.0/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.0.0/32"?)'],
  ],
  [
    '10.0.0.0/08',
    [
      'non-standard CIDR value "10.0.0.0/08" will be considered invalid in a future Kubernetes release: use "10.0.0.0/8"',
    ],
  ],
  [
    '010.1.0.0/8',
    [
      'CIDR value "010.1.0.0/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.0.0/32"?)',
      'non-standard CIDR value "010.1.0.0/8" will be considered invalid in a future Kubernetes release: use "10.0.0.0/8"',
    ],
  ],
  [
    '::ffff:10.0.0.0/104',
    [
      'non-standard CIDR value "::ffff:10.0.0.0/104" will be considered invalid in a future Kubernetes release: use "10.0.0.0/8"',
    ],
  ],
  ['FD00::/8', ['IPv6 CIDR value "FD00::/8" should be in RFC 5952 canonical format ("fd00::/8")']],
])('a policy with the block %s: %j', (cidr, warnings) => {
  const kind = kindIn('networkpolicies.networking', 33);
  const sent = withValue(policy, 'spec.ingress', [{ from: [{ ipBlock: { cidr } }] }]);
  const told = kind.definition.strategy.warnings?.(kind.created(sent), kind.context);
  expect(told).toEqual(warnings.map((each) => `spec.ingress[0].from[0].ipBlock.cidr: ${each}`));
});

test.each([
  ['services', { loadBalancer: { ingress: [{ ip: '010.0.0.5' }] } }, 'status.loadBalancer.ingress[0].ip'],
  [
    'ingresses.networking',
    { loadBalancer: { ingress: [{ ip: '010.0.0.5' }] } },
    'status.loadBalancer.ingress[0].ip',
  ],
  ['pods', { podIPs: [{ ip: '010.0.0.5' }], podIP: '010.0.0.5' }, 'status.podIPs[0].ip'],
  ['pods', { hostIPs: [{ ip: '010.0.0.5' }], hostIP: '010.0.0.5' }, 'status.hostIPs[0].ip'],
])('the status of %s %j', (name, status, field) => {
  const kind = kindIn(name, 36);
  const loose = kindIn(name, 36, { [gate]: false });
  const minimal: JsonObject =
    name === 'pods'
      ? pod
      : name === 'services'
        ? balancer
        : { metadata, spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } } };
  const before = loose.created(minimal);
  const sent = { ...minimal, status };
  expect(kind.updateErrors(before, sent, 'status').map((error) => error.field)).toEqual([field]);
  expect(loose.updateErrors(before, sent, 'status')).toEqual([]);
  expect(kind.updateErrors(loose.updated(before, sent, 'status'), sent, 'status')).toEqual([]);
});

test.each([
  ['IPAddress', 'ipaddresses.networking', { metadata: { name: '010.0.0.5' } }, 'metadata.name'],
  [
    'ServiceCIDR',
    'servicecidrs.networking',
    { metadata: { name: 'a' }, spec: { cidrs: ['010.0.0.0/8'] } },
    'spec.cidrs[0]',
  ],
  [
    'ServiceCIDR',
    'servicecidrs.networking',
    { metadata: { name: 'a' }, spec: { cidrs: ['10.1.0.0/8'] } },
    'spec.cidrs[0]',
  ],
  [
    'ServiceCIDR',
    'servicecidrs.networking',
    { metadata: { name: 'a' }, spec: { cidrs: ['FD00::/8'] } },
    'spec.cidrs[0]',
  ],
])('%s, which is younger, was always strict: %j', (_kind, name, sent, field) => {
  const found = [31, 33, 36].map((minor) =>
    kindIn(name, minor, minor < 33 ? {} : { [gate]: false })
      .createErrors(sent)
      .some((error) => error.field === field),
  );
  expect(found).toEqual([true, true, true]);
});

test.each([
  [['10.0.0.5', 'fd00::5'], []],
  [['x'], ['status.podIPs[0].ip']],
  [['10.0.0.5', '10.0.0.6'], ['status.podIPs']],
])('a pod with the addresses %j: %j', (ips, expected) => {
  const kind = kindIn('pods', 21);
  const status = { podIPs: ips.map((ip) => ({ ip })), podIP: ips[0] ?? '' };
  const errors = kind.updateErrors(kind.created(pod), { ...pod, status }, 'status');
  expect(errors.map(({ field }) => field)).toEqual(expected);
});

test.each([
  ['ipv4', '10.0.0.5', true],
  ['ipv4', '010.0.0.5', true],
  ['ipv4', '::ffff:10.0.0.5', true],
  ['ipv4', '2001:db8::5', false],
  ['ipv4', '10.0.0.256', false],
  ['ipv6', '2001:db8::0005', true],
  ['ipv6', 'fe80::1%eth0', false],
  ['ipv6', '10.0.0.5', false],
  ['cidr', '010.1.2.3/08', true],
  ['cidr', '10.0.0.0/33', false],
  ['cidr', '10.0.0.0', false],
])('format %s of custom resources, which the gate does not concern: %s is one: %s', (format, text, isOne) => {
  expect(isOfFormat(format, text)).toBe(isOne);
});
