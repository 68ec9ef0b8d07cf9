/** Anybody who writes autoscaling/v1 writes the annotations that newer versions make fields of. */
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/base/json.ts';
import { decodeProtobuf, encodeProtobuf } from '../../../../src/codec/protobuf/codec.ts';
import { createWireTypes } from '../../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { realCatalogue } from '../../../support/catalogue.ts';

const { catalogue, schemas } = realCatalogue(namingProfiles.orch);
const types = createWireTypes(() => catalogue, schemas);
const kind = 'HorizontalPodAutoscaler';

function readAs(version: string, annotations: Record<string, string>): JsonObject {
  const resource = catalogue.resource('autoscaling', version, 'horizontalpodautoscalers');
  if (!resource) throw new Error(`no ${version}`);
  return resource.conversion.fromInternal({
    apiVersion: 'autoscaling/v1',
    kind,
    metadata: { name: 'web', annotations },
    spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  });
}

function throughProtobuf(version: string, object: JsonObject): JsonObject {
  const apiVersion = `autoscaling/${version}`;
  const type = types.find(apiVersion, kind);
  if (!type) throw new Error(`no type ${apiVersion}`);
  const bytes = encodeProtobuf(type, object);
  return decodeProtobuf(bytes, (v, k) => types.find(v, k));
}

const prefix = 'autoscaling.alpha.orch.io/';
const junk = fc.oneof(
  fc.constantFrom(5, 'zz', null, true),
  fc.json().map((text) => JSON.parse(text) as unknown),
);
const source = fc.record({
  metricName: junk,
  targetAverageValue: junk,
  selector: junk,
  name: junk,
  target: junk,
});
const metric = fc.record({ type: junk, pods: fc.oneof(junk, source), resource: fc.oneof(junk, source) });
const rules = fc.record({ Policies: fc.oneof(junk, fc.array(junk)), SelectPolicy: junk });

test.each(['v2beta1', 'v2beta2'])('%s can be sent as Protobuf whatever they say', (version) => {
  const texts = fc.record({
    metrics: fc.oneof(junk, fc.array(metric)),
    'current-metrics': fc.oneof(junk, fc.array(metric)),
    conditions: fc.oneof(junk, fc.array(junk)),
    behavior: fc.oneof(junk, fc.record({ ScaleUp: fc.oneof(junk, rules), ScaleDown: junk })),
  });
  fc.assert(
    fc.property(texts, (values) => {
      const entries = Object.entries(values).map(
        ([key, v]) => [`${prefix}${key}`, JSON.stringify(v)] as const,
      );
      const read = readAs(version, Object.fromEntries(entries));
      expect(throughProtobuf(version, read)).toMatchObject({
        metadata: { name: 'web' },
        spec: { maxReplicas: 2 },
      });
    }),
  );
});

test('what fits is taken, what does not is left out', () => {
  const metrics = [{ type: 'Pods', pods: { metricName: 'requests', targetAverageValue: 'zz' } }];
  const read = readAs('v2beta2', {
    [`${prefix}metrics`]: JSON.stringify(metrics),
    [`${prefix}behavior`]: '{"ScaleUp":5,"ScaleDown":{"SelectPolicy":"Min"}}',
  });
  expect(read['spec']).toMatchObject({
    metrics: [{ type: 'Pods', pods: { metric: { name: 'requests' }, target: { type: 'AverageValue' } } }],
    behavior: { scaleDown: { selectPolicy: 'Min' } },
  });
  expect(read).not.toHaveProperty('spec.behavior.scaleUp');
  expect(read).not.toHaveProperty('spec.metrics.0.pods.target.averageValue');
});
