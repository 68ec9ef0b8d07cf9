/** The versions of autoscalers with more than the CPU. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Stored } from '../define.ts';
import type { ApiContext, ResourceVersionDefinition } from '../types.ts';
import { targetSpecs } from './metric-shapes.ts';
import { validateBehavior, validateMetrics } from './metric-rules.ts';
import {
  v2beta1FromStorage,
  v2beta1ToStorage,
  v2beta2FromStorage,
  v2beta2ToStorage,
} from './v2-conversion.ts';
import { isNegative } from '../validation/quantities.ts';
import { given, type Maybe } from '../validation/rules.ts';
import type { HorizontalPodAutoscaler as V2Fields, HorizontalPodAutoscalerBehavior } from './v2.types.ts';
import type { HorizontalPodAutoscaler as V2beta1Fields } from './v2beta1.types.ts';
import type {
  HorizontalPodAutoscaler as V2beta2Fields,
  HPAScalingRules,
  MetricSpec,
} from './v2beta2.types.ts';

type V2beta1 = Stored<V2beta1Fields>;
type V2 = Stored<V2Fields>;
type V2beta2 = Stored<V2beta2Fields>;

const spec = FieldPath.of('spec');
const metricsPath = spec.child('metrics');
const percent = { type: 'Percent', value: 100, periodSeconds: 15 } as const;
const pods = { type: 'Pods', value: 4, periodSeconds: 15 } as const;

/** A behaviour that is given in part is completed: up at once and fast, down with all speed after the usual pause. */
function completeBehavior(object: ApiObject): void {
  const behavior = (object as V2beta2).spec?.behavior;
  if (!behavior) return;
  const up = (behavior.scaleUp ??= {});
  const down = (behavior.scaleDown ??= {});
  complete(up, [{ ...pods }, { ...percent }]);
  complete(down, [{ ...percent }]);
  up.stabilizationWindowSeconds ??= 0;
}

function complete(rules: HPAScalingRules, policies: HPAScalingRules['policies']): void {
  rules.policies ??= policies;
  rules.selectPolicy ??= 'Max';
}

/** Metrics of containers are behind their gate. */
function dropContainerMetrics(metrics: MetricSpec[] | null | undefined, context: ApiContext): void {
  if (context.isFeatureEnabled('HPAContainerMetrics')) return;
  for (const metric of metrics ?? []) delete metric.containerResource;
}

function validateV2beta1(object: ApiObject): FieldError[] {
  const sent: unknown = (object as V2beta1).spec?.metrics ?? [];
  const metrics = targetSpecs(sent as JsonObject[]);
  return validateMetrics(metrics, metricsPath);
}

function validateV2beta2(object: ApiObject): FieldError[] {
  const { metrics, behavior } = (object as V2beta2).spec ?? {};
  return [...validateMetrics(metrics, metricsPath), ...validateBehavior(behavior, spec.child('behavior'))];
}

export const v2beta1: ResourceVersionDefinition = {
  version: 'v2beta1',
  deprecatedIn: '1.22',
  removedIn: '1.25',
  replacement: 'autoscaling/v2 HorizontalPodAutoscaler',
  applyDefaults: (object, context) => {
    dropContainerMetrics((object as V2beta2).spec?.metrics, context);
  },
  validate: validateV2beta1,
  toStorage: v2beta1ToStorage,
  fromStorage: v2beta1FromStorage,
  readsAnnotations: true,
};

/** The stable version has the shape of the last beta; only it has a tolerance. */
export const v2: ResourceVersionDefinition = {
  version: 'v2',
  introducedIn: '1.23',
  applyDefaults: (object, context) => {
    followCpu(object);
    completeBehavior(object);
    dropContainerMetrics((object as V2beta2).spec?.metrics, context);
    dropTolerance((object as V2).spec?.behavior, context);
  },
  validate: (object) => [
    ...validateV2beta2(object),
    ...validateTolerance((object as V2).spec?.behavior, spec.child('behavior')),
  ],
  toStorage: v2beta2ToStorage,
  fromStorage: v2beta2FromStorage,
  readsAnnotations: true,
};

/** An autoscaler that follows no metric follows the CPU. */
function followCpu({ spec: wanted }: V2): void {
  if (!wanted || (wanted.metrics ?? []).length > 0) return;
  const target = { type: 'Utilization', averageUtilization: 80 };
  wanted.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
}

const directions = ['scaleUp', 'scaleDown'] as const;

/** A tolerance is behind its gate. */
function dropTolerance(behavior: Maybe<HorizontalPodAutoscalerBehavior>, context: ApiContext): void {
  if (context.isFeatureEnabled('HPAConfigurableTolerance')) return;
  for (const direction of directions) delete behavior?.[direction]?.tolerance;
}

function validateTolerance(behavior: Maybe<HorizontalPodAutoscalerBehavior>, at: FieldPath): FieldError[] {
  return directions.flatMap((direction) =>
    given(behavior?.[direction]?.tolerance, at.child(direction).child('tolerance'), (value, p) =>
      isNegative(value) ? [invalid(p, value, 'must be greater than or equal to 0')] : [],
    ),
  );
}

export const v2beta2: ResourceVersionDefinition = {
  version: 'v2beta2',
  deprecatedIn: '1.23',
  removedIn: '1.26',
  replacement: 'autoscaling/v2 HorizontalPodAutoscaler',
  applyDefaults: (object, context) => {
    completeBehavior(object);
    dropContainerMetrics((object as V2beta2).spec?.metrics, context);
  },
  validate: validateV2beta2,
  toStorage: v2beta2ToStorage,
  fromStorage: v2beta2FromStorage,
  readsAnnotations: true,
};
