import fc from 'fast-check';
import type { JsonObject } from '../../../src/base/json.ts';
import { deepCopy } from '../../../src/base/json.ts';
import { applyMergePatch } from '../../../src/patch/merge-patch.ts';
import { checkStructure } from '../../../src/schema/structure.ts';
import { fillZeroValues } from '../../../src/schema/zero-values.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';
import { schemas } from './catalogue.ts';

function filled(type: string, object: JsonObject): JsonObject {
  fillZeroValues(schemas.get(type), object);
  return object;
}

test('what is always written is there, however little was sent', () => {
  expect(filled('core/v1.Pod', {})).toEqual({
    metadata: { creationTimestamp: null },
    spec: { containers: null },
    status: {},
  });
  expect(filled('core/v1.Service', {})).toEqual({
    metadata: { creationTimestamp: null },
    spec: {},
    status: { loadBalancer: {} },
  });
  expect(filled('storage/v1.VolumeAttachment', {})).toEqual({
    metadata: { creationTimestamp: null },
    spec: { attacher: '', source: {}, nodeName: '' },
    status: { attached: false },
  });
});

test('empty values that are never written are removed', () => {
  const spec = { containers: [], hostNetwork: false, nodeName: '', tolerations: [], nodeSelector: {} };
  expect(filled('core/v1.PodSpec', spec)).toEqual({ containers: [] });
  expect(filled('meta/v1.ObjectMeta', { labels: {}, finalizers: [], generation: 0 })).toEqual({
    creationTimestamp: null,
  });
});

test('members stand in the order of their type at every depth, and those that it does not know behind them', () => {
  const container = { resources: {}, image: 'i', name: 'c', ports: [{ protocol: 'TCP', containerPort: 1 }] };
  const object = {
    status: {},
    spec: { restartPolicy: 'Always', containers: [container, { name: 'd', resources: {} }] },
    metadata: { creationTimestamp: null, labels: { z: '1', a: '2' }, name: 'p' },
  };
  const text = JSON.stringify(filled('core/v1.Pod', object));
  expect(text).toBe(
    '{"metadata":{"name":"p","creationTimestamp":null,"labels":{"z":"1","a":"2"}},' +
      '"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":1,"protocol":"TCP"}],"resources":{}},' +
      '{"name":"d","resources":{}}],"restartPolicy":"Always"},"status":{}}',
  );
  const again = JSON.parse(text) as JsonObject;
  const { spec } = again;
  expect(filled('core/v1.Pod', again)['spec']).toBe(spec);
});

test('zero stays where it is told apart from absence', () => {
  const spec = filled('apps/v1.DeploymentSpec', { replicas: 0 });
  expect(spec['replicas']).toBe(0);
  const pod = filled('core/v1.PodSpec', {
    containers: [],
    securityContext: {},
    terminationGracePeriodSeconds: 0,
  });
  expect(pod).toEqual({ containers: [], securityContext: {}, terminationGracePeriodSeconds: 0 });
});

test('structs in lists and maps are filled too', () => {
  expect(filled('core/v1.PodSpec', { containers: [{}] })).toEqual({
    containers: [{ name: '', resources: {} }],
  });
});

test('what an object shares with another one is left as it is, and filled nowhere else', () => {
  const containers = (): JsonObject[] => [{ name: 'a' }, { name: 'b' }];
  const shared = containers();
  const other = { spec: { containers: shared, hostNetwork: false } };
  const same = { spec: { containers: shared, hostNetwork: false } };
  fillZeroValues(schemas.get('core/v1.Pod'), same, other);
  expect(same.spec).toEqual({ containers: containers() });
  const changed: JsonObject = { spec: { containers: [shared[0] ?? null, { name: 'c' }] } };
  fillZeroValues(schemas.get('core/v1.Pod'), changed, other);
  expect(changed['spec']).toEqual({ containers: [{ name: 'a' }, { name: 'c', resources: {} }] });
});

test.each(['core/v1.Pod', 'apps/v1.Deployment'])('a %s that shares what is filled is filled', (name) => {
  const schema = schemas.get(name);
  fc.assert(
    fc.property(arbitraryObject(schema, 3), arbitraryObject(schema, 3), (before, more) => {
      fillZeroValues(schema, before);
      const next = applyMergePatch(before, more);
      const whole = deepCopy(next);
      fillZeroValues(schema, next, before);
      fillZeroValues(schema, whole);
      expect(next).toEqual(whole);
    }),
  );
});

test('filling is idempotent and passes the structural check, for every type', () => {
  for (const name of schemas.names()) {
    const schema = schemas.find(name);
    if (schema?.type !== 'struct') continue;
    const object = filled(name, {});
    const text = JSON.stringify(object);
    expect(JSON.stringify(filled(name, object))).toBe(text);
    const { value, errors } = checkStructure(schema, object);
    expect(errors).toEqual([]);
    fillZeroValues(schema, value);
    expect(value).toEqual(object);
  }
});
