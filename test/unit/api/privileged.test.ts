/** Privileged containers where `--allow-privileged=false` forbids them: in pods, and in every template of pods. */
import type { JsonObject } from '../../../src/base/json.ts';
import { contextWith, Kind } from '../../support/kind.ts';

const forbidding = { ...contextWith({ on: ['EphemeralContainers'] }), allowsPrivileged: false };
const container = (name: string, privileged?: boolean): JsonObject => ({
  ...{ name, image: 'i' },
  ...(privileged !== undefined && { securityContext: { privileged } }),
});

function podSpec(restartPolicy: string, privileged: boolean): JsonObject {
  return {
    restartPolicy,
    containers: [container('plain'), container('main', privileged)],
    initContainers: [container('init', privileged), container('no', false)],
  };
}

const labels = { app: 'a' };
const template = (policy: string, privileged: boolean): JsonObject => ({
  metadata: { labels },
  spec: podSpec(policy, privileged),
});
const set = (privileged: boolean): JsonObject => ({
  ...{ selector: { matchLabels: labels }, template: template('Always', privileged) },
  ...{ serviceName: 's' },
});
const job = (privileged: boolean): JsonObject => ({ template: template('Never', privileged) });

const kinds: [string, (privileged: boolean) => JsonObject, string][] = [
  ['pods', (privileged) => ({ spec: podSpec('Always', privileged) }), 'spec'],
  ['podtemplates', (privileged) => ({ template: template('Always', privileged) }), 'template.spec'],
  [
    'replicationcontrollers',
    (privileged) => ({ spec: { selector: labels, template: template('Always', privileged) } }),
    'spec.template.spec',
  ],
  ...['deployments', 'daemonsets', 'statefulsets', 'replicasets'].map((name): (typeof kinds)[number] => [
    `${name}.apps`,
    (privileged) => {
      const { serviceName, ...others } = set(privileged);
      return { spec: name === 'statefulsets' ? { serviceName, ...others } : others };
    },
    'spec.template.spec',
  ]),
  ['jobs.batch', (privileged) => ({ spec: job(privileged) }), 'spec.template.spec'],
  [
    'cronjobs.batch',
    (privileged) => ({ spec: { schedule: '* * * * *', jobTemplate: { spec: job(privileged) } } }),
    'spec.jobTemplate.spec.template.spec',
  ],
];

const named = (object: JsonObject): JsonObject => ({ metadata: { name: 'x', namespace: 'n' }, ...object });

describe.each(kinds)('%s', (name, objectOf, path) => {
  const errors = (kind: Kind, object: JsonObject): string[] =>
    kind.createErrors(named(object)).map(({ field, message }) => `${field}: ${message}`);
  const refusal = (at: string): unknown =>
    expect.stringMatching(
      new RegExp(
        `^${path}.${at}.securityContext.privileged: .*disallowed by cluster policy$`.replaceAll('[', '\\['),
      ),
    );

  test('forbidden: an error for each such container; unprivileged ones are fine', () => {
    const kind = new Kind(name, forbidding);
    expect(errors(kind, objectOf(true))).toEqual([refusal('containers[1]'), refusal('initContainers[0]')]);
    expect(errors(kind, objectOf(false))).toEqual([]);
  });

  test('allowed', () => {
    expect(errors(new Kind(name), objectOf(true))).toEqual([]);
  });
});

describe('pods that are privileged already', () => {
  const pod = named({ spec: podSpec('Always', true) });
  const before = new Kind('pods').created(pod);
  const kind = new Kind('pods', forbidding);

  test('keep their metadata changeable', () => {
    const changed = { ...pod, metadata: { name: 'x', namespace: 'n', labels } };
    expect(kind.updateErrors(before, changed)).toEqual([]);
  });

  test('get no privileged container to debug them', () => {
    const ephemeralContainers = [container('debug', true)];
    const next = { ...pod, spec: { ...podSpec('Always', true), ephemeralContainers } };
    const fields = kind.updateErrors(before, next, 'ephemeralcontainers').map(({ field }) => field);
    expect(fields).toContain('spec.ephemeralContainers[0].securityContext.privileged');
  });
});
