/** Rules of the metrics and behaviours of v2; paths are those of v2beta2. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import { pathSegment } from '../validation/name-rules.ts';
import { positiveQuantity } from '../validation/quantities.ts';
import type { Maybe } from '../validation/rules.ts';
import { between, each, given, need, obeys, oneOf, positive } from '../validation/rules.ts';
import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from './v2beta2.types.ts';

const maxWindowSeconds = 3600;
const maxPeriodSeconds = 1800;
const sources = {
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
  External: 'external',
} as const;

// These fields are not in the storage version, whose closed enumerations the registry looks at.
const metricType = oneOf(Object.keys(sources).sort());
const targetType = oneOf(['AverageValue', 'Utilization', 'Value']);
const selectPolicy = oneOf(['Disabled', 'Max', 'Min']);
const policyType = oneOf(['Percent', 'Pods']);

export function validateMetrics(metrics: Maybe<readonly MetricSpec[]>, path: FieldPath): FieldError[] {
  return each(metrics, path, (metric, at) => [
    ...need(metric.type, at.child('type'), metricType),
    ...sourceErrors(metric, at),
    ...resourceMetric(metric.resource, at.child('resource')),
    ...resourceMetric(metric.containerResource, at.child('containerResource')),
    ...given(metric.containerResource, at.child('containerResource'), ({ container }, p) =>
      need(container, p.child('container')),
    ),
    ...podsMetric(metric, at.child('pods')),
    ...objectMetric(metric, at.child('object')),
    ...externalMetric(metric, at.child('external')),
  ]);
}

/** A metric has the source that its type names, and no other. */
function sourceErrors(metric: MetricSpec, at: FieldPath): FieldError[] {
  const entry = Object.entries(sources).find(([type]) => type === metric.type);
  if (!entry) return [];
  const expected = entry[1];
  const others = Object.values(sources).filter((source) => source !== expected && metric[source] != null);
  return [
    ...(metric[expected] == null
      ? [required(at.child(expected), 'must populate information for the given metric source')]
      : []),
    ...others.map((source) => forbidden(at.child(source), 'must populate the given metric source only')),
  ];
}

interface ResourceLike {
  readonly name?: string | undefined;
  readonly target?: MetricTarget | undefined;
}

function resourceMetric(source: Maybe<ResourceLike>, path: FieldPath): FieldError[] {
  return given(source, path, ({ name, target = {} }, at) => {
    const p = at.child('target');
    const { averageUtilization, averageValue } = target;
    return [
      ...need(name, at.child('name')),
      ...validateTarget(target, p),
      ...(averageUtilization == null && averageValue == null
        ? [
            required(
              p.child('averageUtilization'),
              'must set either a target raw value or a target utilization',
            ),
          ]
        : []),
      ...(averageUtilization != null && averageValue != null
        ? [forbidden(p.child('averageValue'), 'may not set both a target raw value and a target utilization')]
        : []),
    ];
  });
}

function podsMetric({ pods }: MetricSpec, path: FieldPath): FieldError[] {
  return given(pods, path, ({ metric, target = {} }, at) => [
    ...validateIdentifier(metric, at.child('metric')),
    ...validateTarget(target, at.child('target')),
    ...(target.averageValue == null
      ? [required(at.child('target').child('averageValue'), 'must specify a positive target averageValue')]
      : []),
  ]);
}

function objectMetric({ object }: MetricSpec, path: FieldPath): FieldError[] {
  return given(object, path, ({ describedObject = {}, metric, target = {} }, at) => {
    const reference = at.child('describedObject');
    return [
      ...need(describedObject.kind, reference.child('kind'), obeys(pathSegment)),
      ...need(describedObject.name, reference.child('name'), obeys(pathSegment)),
      ...validateIdentifier(metric, at.child('metric')),
      ...validateTarget(target, at.child('target')),
      ...neither(target, at.child('target')),
    ];
  });
}

function externalMetric({ external }: MetricSpec, path: FieldPath): FieldError[] {
  return given(external, path, ({ metric, target = {} }, at) => [
    ...validateIdentifier(metric, at.child('metric')),
    ...validateTarget(target, at.child('target')),
    ...neither(target, at.child('target')),
    ...(target.value != null && target.averageValue != null
      ? [
          forbidden(
            at.child('target').child('value'),
            'may not set both a target value for metric and a per-pod target',
          ),
        ]
      : []),
  ]);
}

function neither({ value, averageValue }: MetricTarget, at: FieldPath): FieldError[] {
  return value == null && averageValue == null
    ? [required(at.child('averageValue'), 'must set either a target value for metric or a per-pod target')]
    : [];
}

function validateIdentifier(metric: Maybe<MetricIdentifier>, at: FieldPath): FieldError[] {
  return [
    ...need(metric?.name, at.child('name'), obeys(pathSegment)),
    ...validateLabelSelector(metric?.selector, at.child('selector')),
  ];
}

function validateTarget(target: MetricTarget, at: FieldPath): FieldError[] {
  return [
    ...need(target.type, at.child('type'), targetType),
    ...given(target.value, at.child('value'), positiveQuantity),
    ...given(target.averageValue, at.child('averageValue'), positiveQuantity),
    ...given(target.averageUtilization, at.child('averageUtilization'), positive),
  ];
}

export function validateBehavior(
  behavior: Maybe<HorizontalPodAutoscalerBehavior>,
  path: FieldPath,
): FieldError[] {
  return [
    ...given(behavior?.scaleUp, path.child('scaleUp'), validateScaling),
    ...given(behavior?.scaleDown, path.child('scaleDown'), validateScaling),
  ];
}

function validateScaling(rules: HPAScalingRules, at: FieldPath): FieldError[] {
  const policies = at.child('policies');
  const window = at.child('stabilizationWindowSeconds');
  return [
    ...given(rules.stabilizationWindowSeconds, window, between(0, maxWindowSeconds)),
    ...need(rules.selectPolicy, at.child('selectPolicy'), selectPolicy),
    ...((rules.policies ?? []).length === 0 ? [required(policies, 'must specify at least one Policy')] : []),
    ...each(rules.policies, policies, (policy, p) => [
      ...need(policy.type, p.child('type'), policyType),
      ...positive(policy.value ?? 0, p.child('value')),
      ...periodErrors(policy.periodSeconds ?? 0, p.child('periodSeconds')),
    ]),
  ];
}

function periodErrors(seconds: number, at: FieldPath): FieldError[] {
  return seconds > maxPeriodSeconds
    ? [invalid(at, seconds, `must be less than or equal to ${String(maxPeriodSeconds)}`)]
    : positive(seconds, at);
}
