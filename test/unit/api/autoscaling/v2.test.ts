import { v2beta1, v2beta2 } from '../../../../src/api/autoscaling/v2-versions.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { deepCopy } from '../../../../src/base/json.ts';
import { asApiObject, asJson } from '../../../../src/meta/object.ts';
import { brief, contextWith, Kind, naming, withValue } from '../../../support/kind.ts';

const metadata = { name: 'web', namespace: 'default' };
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
};
const requests = {
  type: 'Pods',
  pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '10' } },
};
const queue = {
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'Value', value: '30' } },
};
const object: JsonObject = {
  metadata,
  spec: {
    scaleTargetRef: { kind: 'Deployment', name: 'web' },
    maxReplicas: 5,
    metrics: [requests, cpu],
    behavior: { scaleDown: { selectPolicy: 'Disabled' } },
  },
  status: {
    conditions: [{ type: 'AbleToScale', status: 'True' }],
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 20 } } }],
  },
};

test('v1 has fields for the CPU and carries the rest', () => {
  const stored = v2beta2.toStorage?.(deepCopy(object), naming);
  expect(stored).toEqual({
    metadata: {
      ...metadata,
      annotations: {
        'autoscaling.alpha.orch.io/metrics':
          '[{"type":"Pods","pods":{"metricName":"requests","targetAverageValue":"10"}}]',
        'autoscaling.alpha.orch.io/conditions': '[{"type":"AbleToScale","status":"True"}]',
        'autoscaling.alpha.orch.io/behavior': '{"ScaleDown":{"SelectPolicy":"Disabled"}}',
      },
    },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'web' },
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 60,
    },
    status: { currentCPUUtilizationPercentage: 20 },
  });
  expect(v2beta2.fromStorage?.(deepCopy(stored ?? {}), naming)).toEqual(object);
  expect(v2beta1.fromStorage?.(deepCopy(stored ?? {}), naming)).toMatchObject({
    metadata: {
      annotations: { 'autoscaling.alpha.orch.io/behavior': '{"ScaleDown":{"SelectPolicy":"Disabled"}}' },
    },
    spec: {
      metrics: [
        { type: 'Pods', pods: { metricName: 'requests' } },
        { resource: { targetAverageUtilization: 60 } },
      ],
    },
  });
});

test('annotations that are not what they should be are no metrics', () => {
  const annotations = {
    'autoscaling.alpha.orch.io/metrics': '[1,{"type":7,"pods":3}]',
    'autoscaling.alpha.orch.io/behavior': '{',
  };
  const read = v2beta2.fromStorage?.({ metadata: { ...metadata, annotations }, spec: {} }, naming);
  expect(read).toEqual({
    metadata: { ...metadata, annotations: { 'autoscaling.alpha.orch.io/behavior': '{' } },
    spec: { metrics: [{}] },
    status: {},
  });
});

function errorsOf(path: string, value: unknown): string[] {
  return brief(v2beta2.validate?.(asApiObject(withValue(object, path, value)), contextWith()) ?? []);
}

const at = 'spec.metrics[0]';
test.each<[string, unknown, ...string[]]>([
  [
    'spec.behavior',
    { scaleUp: {} },
    'spec.behavior.scaleUp.policies Required',
    'spec.behavior.scaleUp.selectPolicy Required',
  ],
  [
    'spec.behavior',
    {
      scaleUp: {
        selectPolicy: 'Max',
        stabilizationWindowSeconds: 3601,
        policies: [{ type: 'Pods', value: 0, periodSeconds: 1801 }, {}],
      },
    },
    'spec.behavior.scaleUp.policies[0].periodSeconds Invalid',
    'spec.behavior.scaleUp.policies[0].value Invalid',
    'spec.behavior.scaleUp.policies[1].periodSeconds Invalid',
    'spec.behavior.scaleUp.policies[1].type Required',
    'spec.behavior.scaleUp.policies[1].value Invalid',
    'spec.behavior.scaleUp.stabilizationWindowSeconds Invalid',
  ],
  [
    'spec.behavior',
    { scaleUp: { selectPolicy: 'Mean', policies: [{ type: 'Nodes', value: 1, periodSeconds: 1 }] } },
    'spec.behavior.scaleUp.policies[0].type NotSupported',
    'spec.behavior.scaleUp.selectPolicy NotSupported',
  ],
  ['spec.metrics.0.type', 'Mood', `${at}.type NotSupported`],
  ['spec.metrics.0.pods.target.type', 'Most', `${at}.pods.target.type NotSupported`],
  ['spec.metrics.0', { type: 'Pods' }, `${at}.pods Required`],
  ['spec.metrics.0', { ...queue, pods: requests.pods }, `${at}.pods Forbidden`],
  ['spec.metrics.0.pods.target', { type: 'Value', value: '1' }, `${at}.pods.target.averageValue Required`],
  ['spec.metrics.0.pods.metric.name', '', `${at}.pods.metric.name Required`],
  [
    'spec.metrics.0',
    { type: 'Resource', resource: { target: {} } },
    `${at}.resource.name Required`,
    `${at}.resource.target.averageUtilization Required`,
    `${at}.resource.target.type Required`,
  ],
  [
    'spec.metrics.0',
    { ...queue, external: { ...queue.external, target: { type: 'Value', value: '1', averageValue: '0' } } },
    `${at}.external.target.averageValue Invalid`,
    `${at}.external.target.value Forbidden`,
  ],
  [
    'spec.metrics.0',
    { type: 'Object', object: { target: { type: 'Value' } } },
    `${at}.object.describedObject.kind Required`,
    `${at}.object.describedObject.name Required`,
    `${at}.object.metric.name Required`,
    `${at}.object.target.averageValue Required`,
  ],
])('%s = %j', (path, value, ...errors) => {
  const base = path === 'spec.behavior' ? [] : ['spec.behavior.scaleDown.policies Required'];
  expect(errorsOf(path, value)).toEqual([...base, ...errors].sort());
});

test('the flat shape is judged by the same rules', () => {
  const flat = {
    metadata,
    spec: { metrics: [{ type: 'Pods', pods: { metricName: 'a', targetAverageValue: '0' } }] },
  };
  expect(brief(v2beta1.validate?.(asApiObject(flat), contextWith()) ?? [])).toEqual([
    `${at}.pods.target.averageValue Invalid`,
  ]);
});

test('behaviours are completed, metrics of containers belong to their gate', () => {
  const sent = deepCopy(object);
  const container = {
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container: 'main', target: {} },
  };
  (sent['spec'] as JsonObject)['metrics'] = [container];
  v2beta2.applyDefaults?.(asApiObject(sent), contextWith());
  expect(sent['spec']).toMatchObject({
    metrics: [{ type: 'ContainerResource' }],
    behavior: {
      scaleUp: {
        selectPolicy: 'Max',
        stabilizationWindowSeconds: 0,
        policies: [{ value: 4 }, { value: 100 }],
      },
      scaleDown: { selectPolicy: 'Disabled', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
    },
  });
  expect(sent['spec']).not.toHaveProperty('metrics.0.containerResource');
});

test('targets', () => {
  const kind = new Kind('horizontalpodautoscalers.autoscaling');
  const stored = v2beta2.toStorage?.(withValue(object, 'spec.metrics', [queue, requests, cpu]), naming) ?? {};
  expect(kind.cells(asApiObject(stored))[2]).toBe('<unknown>/30, <unknown>/10 + 1 more...');
  expect(kind.cells(kind.created({ metadata, spec: {} }))[2]).toBe('<unknown>/80%');
  expect(asJson(asApiObject(stored))).toHaveProperty('spec.targetCPUUtilizationPercentage', 60);
});
