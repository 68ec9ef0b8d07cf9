import type { JsonObject } from '../../../src/base/json.ts';
import { applyStaticDefaults } from '../../../src/schema/static-defaults.ts';
import { decoded, schemas } from './catalogue.ts';

function defaulted(type: string, value: JsonObject, gates?: (gate: string) => boolean): JsonObject {
  const object = decoded(type, value);
  applyStaticDefaults(schemas.get(type), object, gates);
  return object;
}

test('a pod gets its defaults at every level', () => {
  const pod = defaulted('core/v1.Pod', { spec: { containers: [{ livenessProbe: {}, ports: [{}] }] } });
  expect(pod).toEqual({
    spec: {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      securityContext: {},
      containers: [
        {
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          ports: [{ protocol: 'TCP' }],
          livenessProbe: { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
        },
      ],
    },
  });
});

test('structs that are always there are defaulted even when they were not sent', () => {
  expect(defaulted('apps/v1.Deployment', {})).toMatchObject({
    spec: { replicas: 1, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } } },
  });
});

test('a condition on a sibling decides', () => {
  const recreate = defaulted('apps/v1.Deployment', { spec: { strategy: { type: 'Recreate' } } });
  expect(recreate).toMatchObject({ spec: { strategy: { type: 'Recreate' } } });
  expect(recreate).not.toHaveProperty('spec.strategy.rollingUpdate');
  expect(defaulted('rbac/v1.Subject', { kind: 'User' })).toHaveProperty('apiGroup');
  expect(defaulted('rbac/v1.Subject', { kind: 'ServiceAccount' })).not.toHaveProperty('apiGroup');
});

test('zero is absence where the two are not told apart, and a value where they are', () => {
  expect(defaulted('core/v1.Probe', { periodSeconds: 0 })).toMatchObject({ periodSeconds: 10 });
  expect(defaulted('apps/v1.Deployment', { spec: { replicas: 0 } })).toMatchObject({ spec: { replicas: 0 } });
});

test('a default may copy a sibling', () => {
  expect(defaulted('core/v1.ServicePort', { port: 80 })).toMatchObject({ targetPort: 80 });
  expect(defaulted('core/v1.ServicePort', { port: 80, targetPort: '' })).toMatchObject({ targetPort: 80 });
  expect(defaulted('core/v1.ServicePort', { port: 80, targetPort: 'web' })).toMatchObject({
    targetPort: 'web',
  });
  const status = defaulted('core/v1.NodeStatus', { capacity: { cpu: '4' } });
  expect(status['allocatable']).toEqual({ cpu: '4' });
  expect(status['allocatable']).not.toBe(status['capacity']);
});

test('gates that are on by default apply until switched off, alpha gates the other way round', () => {
  const driver = (gates?: (gate: string) => boolean) => defaulted('storage/v1.CSIDriver', {}, gates);
  expect(driver()).toHaveProperty('spec.fsGroupPolicy', 'ReadWriteOnceWithFSType');
  expect(driver((gate) => gate !== 'CSIVolumeFSGroupPolicy')).not.toHaveProperty('spec.fsGroupPolicy');
  const daemonSet = (gates?: (gate: string) => boolean) => defaulted('apps/v1.DaemonSet', {}, gates);
  const surge = 'spec.updateStrategy.rollingUpdate.maxSurge';
  expect(daemonSet()).not.toHaveProperty(surge);
  expect(daemonSet(() => true)).toHaveProperty(surge, 0);
});

test('an empty list stays unless emptiness counts as absence', () => {
  expect(defaulted('storage/v1.CSIDriver', { spec: { volumeLifecycleModes: [] } })).toHaveProperty(
    'spec.volumeLifecycleModes',
    ['Persistent'],
  );
});

test('two objects never share a default value', () => {
  const [a, b] = [defaulted('core/v1.PodSpec', {}), defaulted('core/v1.PodSpec', {})];
  expect(a['securityContext']).toEqual({});
  expect(a['securityContext']).not.toBe(b['securityContext']);
});

test('defaulting a second time changes nothing, for every type', () => {
  for (const name of schemas.names()) {
    const schema = schemas.find(name);
    if (schema?.type !== 'struct') continue;
    const object = defaulted(name, {});
    const before = JSON.stringify(object);
    applyStaticDefaults(schema, object);
    expect(JSON.stringify(object)).toBe(before);
  }
});
