import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { brief, Kind, withValue } from '../../support/kind.ts';

const kind = new Kind('pods');
const minimal: JsonObject = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'nginx:1.21' }] },
};
const main = 'spec.containers.0';

describe('what a create fills in', () => {
  const created = kind.created(minimal);

  test('status and defaults', () => {
    expect(created).toMatchObject({
      spec: {
        restartPolicy: 'Always',
        dnsPolicy: 'ClusterFirst',
        schedulerName: 'default-scheduler',
        terminationGracePeriodSeconds: 30,
        enableServiceLinks: true,
        securityContext: {},
        containers: [
          {
            imagePullPolicy: 'IfNotPresent',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
  });

  test.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['host:5000/nginx', 'Always'],
    ['host:5000/nginx:1', 'IfNotPresent'],
    ['nginx@sha256:abc', 'IfNotPresent'],
  ])('image %s is pulled %s', (image, policy) => {
    const pod = kind.created(withValue(minimal, `${main}.image`, image));
    expect(pod).toMatchObject({ spec: { containers: [{ imagePullPolicy: policy }] } });
  });

  test.each([
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed', { cpu: '1', memory: '1Gi' }],
    [{ requests: { cpu: '100m' } }, 'Burstable', { cpu: '100m' }],
    [
      { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
      'Burstable',
      { cpu: '500m', memory: '1Gi' },
    ],
  ])('resources %j make it %s', (resources, qosClass, requests) => {
    const pod = kind.created(withValue(minimal, `${main}.resources`, resources));
    expect(pod).toMatchObject({ status: { qosClass }, spec: { containers: [{ resources: { requests } }] } });
  });

  test('the host network gives container ports to the host', () => {
    const ports = withValue(minimal, `${main}.ports`, [{ containerPort: 80 }]);
    const pod = kind.created(withValue(ports, 'spec.hostNetwork', true));
    expect(pod).toMatchObject({ spec: { containers: [{ ports: [{ hostPort: 80, protocol: 'TCP' }] }] } });
  });

  test('the account has two names', () => {
    const pod = kind.created(withValue(minimal, 'spec.serviceAccount', 'robot'));
    expect(pod).toMatchObject({ spec: { serviceAccountName: 'robot', serviceAccount: 'robot' } });
  });
});

describe('updates', () => {
  const full = withValue(minimal, 'spec.activeDeadlineSeconds', 100);
  const before = kind.created(full);

  test.each<[string, unknown, ...string[]]>([
    [`${main}.image`, 'nginx:1.22'],
    ['spec.activeDeadlineSeconds', 50],
    ['spec.tolerations', [{ key: 'a', operator: 'Exists' }]],
    ['metadata.labels', { a: 'b' }],
    ['status', { phase: 'Running' }],
    ['spec.activeDeadlineSeconds', 200, 'spec.activeDeadlineSeconds Invalid'],
    ['spec.activeDeadlineSeconds', undefined, 'spec.activeDeadlineSeconds Invalid'],
    ['spec.nodeName', 'n1', 'spec Forbidden'],
    [`${main}.command`, ['sh'], 'spec Forbidden'],
    ['spec.containers.1', { name: 'b', image: 'x' }, 'spec.containers Forbidden'],
    [
      'metadata.annotations',
      { 'orch.io/config.mirror': 'x' },
      'metadata.annotations[orch.io/config.mirror] Forbidden',
      'metadata.annotations[orch.io/config.mirror] Invalid',
    ],
  ])('%s = %j', (path, value, ...errors) => {
    expect(brief(kind.updateErrors(before, withValue(full, path, value)))).toEqual(errors);
  });

  test('tolerations only grow; their seconds may change', () => {
    const tolerant = kind.created(
      withValue(minimal, 'spec.tolerations', [
        { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 },
      ]),
    );
    const seconds = [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 }];
    expect(kind.updateErrors(tolerant, withValue(minimal, 'spec.tolerations', seconds))).toEqual([]);
    expect(brief(kind.updateErrors(tolerant, minimal))).toEqual(['spec.tolerations Forbidden']);
  });

  test('a main write leaves the status, a status write everything else', () => {
    expect(kind.updated(before, withValue(full, 'status', { phase: 'Failed' }))).toMatchObject({
      status: { phase: 'Pending' },
    });
    const sent = withValue(withValue(full, 'status', { phase: 'Running' }), `${main}.image`, 'other');
    const next = kind.updated(
      before,
      withValue(sent, 'metadata.ownerReferences', [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }]),
      'status',
    );
    expect(next).toMatchObject({
      status: { phase: 'Running' },
      spec: { containers: [{ image: 'nginx:1.21' }] },
    });
    expect(next.metadata.ownerReferences).toBeUndefined();
  });

  test('a container that ended for good does not run again', () => {
    const once = withValue(minimal, 'spec.restartPolicy', 'Never');
    const ended = kind.updated(
      kind.created(once),
      withValue(once, 'status', {
        containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 0 } } }],
      }),
      'status',
    );
    const running = withValue(once, 'status', {
      containerStatuses: [{ name: 'main', state: { running: {} } }],
    });
    expect(brief(kind.updateErrors(ended, running, 'status'))).toEqual([
      'status.containerStatuses[0].state Forbidden',
    ]);
  });
});

describe('grace period', () => {
  const scheduled = withValue(minimal, 'spec.nodeName', 'n1');
  const grace = (sent: JsonObject, asked?: number, phase = 'Running'): number | undefined => {
    const pod = kind.created(sent);
    (pod as ApiObject & { status: { phase: string } }).status.phase = phase;
    return kind.definition.strategy.gracePeriod?.(pod, asked);
  };

  test('its own, what was asked, and none for pods that run nowhere or have ended', () => {
    expect(grace(scheduled)).toBe(30);
    expect(grace(withValue(scheduled, 'spec.terminationGracePeriodSeconds', 5))).toBe(5);
    expect(grace(scheduled, 7)).toBe(7);
    expect(grace(scheduled, 0)).toBe(0);
    expect(grace(minimal, 7)).toBe(0);
    expect(grace(scheduled, 7, 'Succeeded')).toBe(0);
  });
});
