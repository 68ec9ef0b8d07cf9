/** Fields and kinds that came after release 1.21: what is refused, what is set, and what each release leaves out. */
import { podAmounts } from '../../../src/api/core/pod/amounts.ts';
import { parseRelease, newestRelease, type Release } from '../../../src/observe/release.ts';
import { contextWith, Kind } from '../../support/kind.ts';
import type { JsonObject } from '../../../src/base/json.ts';

function kindAt(name: string, release: Release = newestRelease): Kind {
  return new Kind(name, contextWith({ release }), release);
}

function at(text: string): Release {
  return parseRelease(text) ?? newestRelease;
}

function problems(name: string, object: JsonObject): string[] {
  const kind = kindAt(name);
  const namespace = kind.definition.namespaced ? { namespace: 'default' } : {};
  const sent = { ...object, metadata: { ...(object['metadata'] as JsonObject), ...namespace } };
  return kind.createErrors(sent).map(({ field }) => field);
}

const main = { name: 'main', image: 'nginx:1' };
const pod = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'web' },
  spec: { containers: [main], ...spec },
});
const service = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'web' },
  spec: { ports: [{ port: 80 }], ...spec },
});
const job = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'work' },
  spec: { template: { spec: { containers: [main], restartPolicy: 'Never' } }, ...spec },
});
const claim = (request: JsonObject): JsonObject => ({
  metadata: { name: 'gpu' },
  spec: { devices: { requests: [{ name: 'one', ...request }] } },
});
const policy = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'rules.example.com' },
  spec: {
    matchConstraints: {
      resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    },
    ...spec,
  },
});

const probe = (grpc: JsonObject): JsonObject => pod({ containers: [{ ...main, livenessProbe: { grpc } }] });
const sidecar = { ...main, name: 'side', restartPolicy: 'Always', startupProbe: { tcpSocket: { port: 80 } } };

test.each<[string, JsonObject, string[]]>([
  ['pods', probe({ port: 80 }), []],
  ['pods', probe({ port: 0 }), ['spec.containers[0].livenessProbe.grpc.port']],
  ['pods', pod({ initContainers: [sidecar] }), []],
  [
    'pods',
    pod({ initContainers: [{ ...sidecar, restartPolicy: 'Never' }] }),
    ['spec.initContainers[0].startupProbe'],
  ],
  ['pods', pod({ os: { name: 'plan9' } }), ['spec.os.name']],
  ['pods', pod({ schedulingGates: [{ name: 'a.b/c' }], nodeName: 'n' }), ['spec.nodeName']],
  ['pods', pod({ resourceClaims: [{ name: 'a' }] }), ['spec.resourceClaims[0]']],
  ['pods', pod({ volumes: [{ name: 'v', image: { reference: 'busybox:1' } }] }), []],
  ['pods', pod({ volumes: [{ name: 'v', image: {} }] }), ['spec.volumes[0].image.reference']],
  [
    'pods',
    pod({
      containers: [{ ...main, resizePolicy: [{ resourceName: 'disk', restartPolicy: 'NotRequired' }] }],
    }),
    ['spec.containers[0].resizePolicy[0].resourceName'],
  ],
  [
    'pods',
    pod({ resources: { limits: { cpu: '2', 'example.com/gpu': '1' } } }),
    ['spec.resources.limits[example.com/gpu]'],
  ],
  [
    'pods',
    pod({
      containers: [{ ...main, resources: { requests: { cpu: '3' }, limits: { cpu: '9' } } }],
      resources: { requests: { cpu: '2' }, limits: { cpu: '8' } },
    }),
    ['spec.resources.requests[cpu]', 'spec.resources.limits[cpu]'],
  ],
  ['services', service({ externalIPs: ['203.0.113.1'], externalTrafficPolicy: 'Local' }), []],
  ['services', service({ externalTrafficPolicy: 'Local' }), ['spec.externalTrafficPolicy']],
  ['jobs.batch', job({ completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: 1 }), []],
  ['jobs.batch', job({ backoffLimitPerIndex: 1 }), ['spec.backoffLimitPerIndex']],
  [
    'jobs.batch',
    job({ podFailurePolicy: { rules: [{ action: 'FailJob' }] } }),
    ['spec.podFailurePolicy.rules[0]'],
  ],
  ['ipaddresses.networking', { metadata: { name: '10.0.0.1' }, spec: {} }, ['spec.parentRef']],
  [
    'servicecidrs.networking',
    { metadata: { name: 'more' }, spec: { cidrs: ['10.0.0.0/8', '10.1.0.0/16'] } },
    ['spec.cidrs'],
  ],
  ['volumeattributesclasses.storage', { metadata: { name: 'fast' }, driverName: 'a.b' }, ['parameters']],
  ['resourceclaims.resource', claim({ exactly: { deviceClassName: 'gpu' } }), []],
  ['resourceclaims.resource', claim({}), ['spec.devices.requests[0]']],
  [
    'validatingadmissionpolicies.admissionregistration',
    policy({ validations: [{ expression: 'true' }] }),
    [],
  ],
  ['validatingadmissionpolicies.admissionregistration', policy({}), ['spec.validations']],
  [
    'mutatingadmissionpolicies.admissionregistration',
    policy({ reinvocationPolicy: 'Never', mutations: [{ patchType: 'JSONPatch' }] }),
    ['spec.mutations[0].jsonPatch'],
  ],
  [
    'leasecandidates.coordination',
    { metadata: { name: 'a' }, spec: {} },
    ['spec.leaseName', 'spec.strategy', 'spec.binaryVersion'],
  ],
])('%s %j', (name, object, expected) => {
  expect(problems(name, object)).toEqual(expected);
});

describe('defaults of a release', () => {
  const set = {
    metadata: { name: 'db' },
    spec: { serviceName: 'db', template: { spec: { containers: [main] } } },
  };

  test.each([
    ['1.26', undefined],
    ['1.27', { whenDeleted: 'Retain', whenScaled: 'Retain' }],
  ])('claims of StatefulSets at %s', (release, policyOfClaims) => {
    const { spec } = kindAt('statefulsets.apps', at(release)).created(set);
    expect((spec as JsonObject)['persistentVolumeClaimRetentionPolicy']).toEqual(policyOfClaims);
  });

  test('Jobs know when pods are replaced, and limits of each index', () => {
    const { spec } = kindAt('jobs.batch').created(
      job({ completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 2 }),
    );
    expect(spec).toMatchObject({ podReplacementPolicy: 'TerminatingOrFailed', backoffLimit: 2147483647 });
    const former = kindAt('jobs.batch', at('1.27')).created(job({}));
    expect(former['spec']).not.toHaveProperty('podReplacementPolicy');
  });
});

test('scheduling gates can only go, and where a pod may run can still be said', () => {
  const gated = pod({ schedulingGates: [{ name: 'a' }, { name: 'b' }] });
  const kind = kindAt('pods');
  const before = kind.created(gated);
  const change = (next: JsonObject): string[] =>
    kind.updateErrors(before, next).map(({ message }) => message);
  expect(change(pod({ schedulingGates: [{ name: 'b' }], nodeSelector: { a: 'b' } }))).toEqual([]);
  expect(change(pod({ schedulingGates: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })).join()).toContain(
    'only deletion is allowed',
  );
});

test('a pod that says what it needs as a whole is of the class and the amounts that it says', () => {
  const { status, ...stored } = kindAt('pods').created(
    pod({
      containers: [{ ...main, resources: { limits: { cpu: '1' } } }],
      resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '2' } },
    }),
  );
  expect(status).toMatchObject({ qosClass: 'Guaranteed' });
  expect(podAmounts(stored as never, 'requests')).toEqual({ cpu: '2', memory: '1Gi' });
});

test('init containers that go on running count beside the others', () => {
  const asks = (name: string, cpu: string, more: JsonObject = {}): JsonObject => ({
    ...{ ...main, name, ...more },
    resources: { requests: { cpu } },
  });
  const initContainers = [
    asks('a', '1', { restartPolicy: 'Always' }),
    asks('b', '4'),
    asks('c', '2', { restartPolicy: 'Always' }),
  ];
  const amounts = (containers: JsonObject[]): unknown =>
    podAmounts(kindAt('pods').created(pod({ initContainers, containers })), 'requests');
  expect(amounts([asks('main', '1')])).toEqual({ cpu: '5' });
  expect(amounts([asks('main', '6')])).toEqual({ cpu: '9' });
});

test('how an address of a load balancer is reached is one of two ways, of an address', () => {
  const kind = kindAt('services');
  const sent = service({ type: 'LoadBalancer' });
  const errors = (ingress: JsonObject): string[] =>
    kind
      .updateErrors(
        kind.created(sent),
        { ...sent, status: { loadBalancer: { ingress: [ingress] } } },
        'status',
      )
      .map(({ field, reason }) => `${field} ${reason}`);
  const at = 'status.loadBalancer.ingress[0].ipMode';
  expect(errors({ ip: '203.0.113.1', ipMode: 'Proxy' })).toEqual([]);
  expect(errors({ ip: '203.0.113.1', ipMode: 'Both' })).toEqual([`${at} FieldValueNotSupported`]);
  expect(errors({ hostname: 'a.example.com', ipMode: 'VIP' })).toEqual([`${at} FieldValueForbidden`]);
});
