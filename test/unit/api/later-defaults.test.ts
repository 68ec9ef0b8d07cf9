/** Defaults that depend on the release: what is set from which release on, as each release sets it when it reads an object. */
import { parseRelease, newestRelease } from '../../../src/observe/release.ts';
import { contextWith, Kind } from '../../support/kind.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';

interface DefaultCase {
  readonly kind: string;
  readonly sent: JsonObject;
  /** Steps to what is looked at. */
  readonly path: string;
  /** What is there from each release on; 1.21 is the first. */
  readonly since: Readonly<Record<string, JsonValue | undefined>>;
  readonly on?: string[];
}

const main = { name: 'main', image: 'nginx:1' };
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [main] } };
const jobTemplate = { spec: { containers: [main], restartPolicy: 'Never' } };
const ingress = [{ ip: '203.0.113.1' }, { hostname: 'a.example.com' }];
const gpu = { requests: { memory: '1Gi' }, limits: { 'hugepages-2Mi': '4Mi', memory: '2Gi' } };

const cases: readonly DefaultCase[] = [
  {
    kind: 'jobs.batch',
    sent: { spec: { template: jobTemplate } },
    path: 'spec.manualSelector',
    since: { 1.21: undefined, 1.29: false },
  },
  {
    kind: 'services',
    sent: { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] }, status: { loadBalancer: { ingress } } },
    path: 'status.loadBalancer.ingress.0.ipMode',
    since: { 1.21: undefined, '1.30': 'VIP' },
  },
  {
    kind: 'services',
    sent: { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] }, status: { loadBalancer: { ingress } } },
    path: 'status.loadBalancer.ingress.1.ipMode',
    since: { 1.21: undefined },
  },
  {
    kind: 'services',
    sent: { spec: { type: 'ClusterIP', externalIPs: ['203.0.113.1'], ports: [{ port: 80 }] } },
    path: 'spec.externalTrafficPolicy',
    since: { 1.21: undefined, 1.29: 'Cluster' },
  },
  {
    kind: 'pods',
    sent: { spec: { containers: [{ ...main, livenessProbe: { grpc: { port: 80 } } }] } },
    path: 'spec.containers.0.livenessProbe.grpc',
    since: { 1.21: undefined, 1.23: { port: 80, service: '' } },
  },
  {
    kind: 'pods',
    sent: { spec: { containers: [main], volumes: [{ name: 'v', image: { reference: 'a/b:1' } }] } },
    path: 'spec.volumes.0.image.pullPolicy',
    since: { 1.21: undefined, 1.31: 'IfNotPresent' },
    on: ['ImageVolume'],
  },
  {
    kind: 'pods',
    sent: { spec: { containers: [main], volumes: [{ name: 'v', image: { reference: 'a/b' } }] } },
    path: 'spec.volumes.0.image.pullPolicy',
    since: { 1.21: undefined, 1.31: 'Always' },
    on: ['ImageVolume'],
  },
  {
    kind: 'pods',
    sent: {
      spec: {
        containers: [main, { ...main, name: 'b', resources: gpu }],
        resources: { limits: { cpu: '2' } },
      },
    },
    path: 'spec.resources',
    since: {
      1.21: undefined,
      1.32: {
        limits: { cpu: '2', 'hugepages-2Mi': '4Mi' },
        requests: { memory: '1Gi', cpu: '2', 'hugepages-2Mi': '4Mi' },
      },
    },
    on: ['PodLevelResources'],
  },
  {
    kind: 'pods',
    sent: {
      spec: {
        containers: [{ ...main, resources: { limits: { 'hugepages-2Mi': '4Mi', memory: '2Gi' } } }],
        resources: { requests: { 'hugepages-2Mi': '4Mi' } },
      },
    },
    path: 'spec.resources',
    since: { 1.21: undefined, 1.32: { requests: { 'hugepages-2Mi': '4Mi' } } },
    on: ['PodLevelResources'],
  },
  {
    kind: 'statefulsets.apps',
    sent: {
      spec: {
        selector: { matchLabels: labels },
        template,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} },
      },
    },
    path: 'spec.updateStrategy.rollingUpdate',
    since: { 1.21: { partition: 0 }, 1.35: { partition: 0, maxUnavailable: 1 }, 1.36: { partition: 0 } },
  },
  {
    kind: 'statefulsets.apps',
    sent: { spec: { selector: { matchLabels: labels }, template } },
    path: 'spec.updateStrategy.rollingUpdate',
    since: { 1.21: { partition: 0 }, 1.35: { partition: 0, maxUnavailable: 1 }, 1.36: { partition: 0 } },
  },
  {
    kind: 'statefulsets.apps',
    sent: {
      spec: { selector: { matchLabels: labels }, template, updateStrategy: { type: 'RollingUpdate' } },
    },
    path: 'spec.updateStrategy',
    since: { 1.21: { type: 'RollingUpdate' } },
  },
];

function minorOf(text: string): number {
  return parseRelease(text)?.minor ?? 0;
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, step) => (at as JsonObject | undefined)?.[step], value);
}

test.each(cases)('$kind $path $since', ({ kind: name, sent, path, since, on = [] }) => {
  const steps = Object.entries(since).sort(([a], [b]) => minorOf(a) - minorOf(b));
  for (let minor = 21; minor <= newestRelease.minor; minor++) {
    const release = { major: 1, minor };
    const [, expected] = steps.findLast(([first]) => minor >= minorOf(first)) ?? [];
    const kind = new Kind(name, contextWith({ release, on }), release);
    const found: unknown = valueAt(kind.decode({ metadata: { name: 'a' }, ...sent }), path);
    expect([minor, found]).toEqual([minor, expected]);
  }
});
