/** `pods/resize`: what may change of a running pod's resources (KEP-1287). */
import type { JsonObject } from '../../../src/base/json.ts';
import { newestRelease, parseRelease, type Release } from '../../../src/observe/release.ts';
import { contextWith, Kind, withValue } from '../../support/kind.ts';

const main = { name: 'main', image: 'nginx:1', resources: { requests: { cpu: '1', memory: '1Gi' } } };
const limited = {
  ...main,
  resources: { limits: { cpu: '2', memory: '2Gi' }, requests: main.resources.requests },
};
const first = { name: 'first', image: 'nginx:1' };
const sidecar = { ...main, name: 'proxy', restartPolicy: 'Always' };
const web = (spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [limited, { ...main, name: 'other' }], initContainers: [first, sidecar], ...spec },
});

function kindAt(release: Release): Kind {
  return new Kind('pods', contextWith({ release }), release);
}

function problems(before: JsonObject, path: string, value: unknown, release = newestRelease): string[] {
  const kind = kindAt(release);
  const errors = kind.updateErrors(kind.created(before), withValue(before, path, value), 'resize');
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

test('only resources are taken, by the name of the container', () => {
  const kind = kindAt(newestRelease);
  const before = kind.created(web());
  const sent = web({
    containers: [
      { name: 'other', image: 'other:2', resources: { requests: { cpu: '5', memory: '1Gi' } } },
      { name: 'main', image: 'other:2' },
    ],
    terminationGracePeriodSeconds: 5,
  });
  const next = kind.updated(
    before,
    { ...sent, metadata: { name: 'web', labels: { app: 'other' } } },
    'resize',
  );
  expect(next.metadata.labels).toEqual({ app: 'web' });
  expect(next['spec']).toMatchObject({
    terminationGracePeriodSeconds: 30,
    containers: [
      { name: 'main', image: 'nginx:1' },
      { name: 'other', image: 'nginx:1', resources: { requests: { cpu: '5', memory: '1Gi' } } },
    ],
    initContainers: [first, { name: 'proxy', resources: main.resources }],
  });
});

const resources = 'spec.containers.0.resources';
const mutable = 'spec: Forbidden: only cpu and memory resources are mutable';

test.each<[string, unknown, string[]]>([
  [`${resources}.requests.cpu`, '1500m', []],
  [`${resources}.requests.memory`, '512Mi', []],
  [`${resources}.limits.cpu`, '1', []],
  ['spec.initContainers.1.resources.requests.cpu', '2', []],
  [
    `${resources}.requests.cpu`,
    '3',
    ['spec.containers[0].resources.requests: must be less than or equal to cpu limit'],
  ],
  [`${resources}.requests.ephemeral-storage`, '1Gi', [mutable]],
  ['spec.containers.0.resizePolicy', [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }], [mutable]],
  [
    `${resources}.limits.memory`,
    undefined,
    ['spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed'],
  ],
  [
    'spec.initContainers.0.resources',
    { requests: { cpu: '1' } },
    ['spec: Forbidden: resources for non-sidecar init containers are immutable'],
  ],
])('%s = %j', (path, value, expected) => {
  const found = problems(web(), path, value);
  expect(found).toHaveLength(expected.length);
  for (const [i, text] of expected.entries()) expect(found[i]).toContain(text.split(': ').at(-1));
});

test('the quality of service stays', () => {
  const bestEffort = web({ containers: [{ name: 'main', image: 'a' }], initContainers: [] });
  expect(problems(bestEffort, 'spec.containers.0.resources', { requests: { cpu: '1' } }).join()).toContain(
    'Pod QOS Class may not change',
  );
});

test('less memory only with a restart, until 1.34', () => {
  const path = `${resources}.limits.memory`;
  const restarted = web({
    containers: [
      { ...limited, resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] },
    ],
  });
  const release = parseRelease('1.33');
  expect(problems(web(), path, '1536Mi', release).join()).toContain('memory limits cannot be decreased');
  expect(problems(web(), path, '3Gi', release)).toEqual([]);
  expect(problems(restarted, path, '1536Mi', release)).toEqual([]);
  expect(problems(web(), path, '1536Mi')).toEqual([]);
});

test('static pods and those of Windows keep what they have', () => {
  const path = `${resources}.requests.cpu`;
  expect(problems(web({ os: { name: 'windows' } }), path, '1500m').join()).toContain('windows pods');
  const annotations = { [`${contextWith().naming.labelDomain}/config.mirror`]: 'x' };
  const fixed = { ...web({ nodeName: 'n' }), metadata: { name: 'web', namespace: 'default', annotations } };
  expect(problems(fixed, path, '1500m').join()).toContain('static pods cannot be resized');
});
