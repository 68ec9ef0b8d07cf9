/** HorizontalPodAutoscaler: keeps the number of pods of a scalable object between two limits. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepSpec, keepStatus, statusSubresource } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain, pathSegment } from '../validation/name-rules.ts';
import { given, need, nonNegative, obeys, positive } from '../validation/rules.ts';
import { annotationOf, annotatedSpec, annotatedStatus, keepAnnotations } from './autoscaler-annotations.ts';
import { targetsText } from './targets-column.ts';
import { v2, v2beta1, v2beta2 } from './v2-versions.ts';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler as HorizontalPodAutoscalerFields,
} from './v1.types.ts';

type HorizontalPodAutoscaler = Stored<HorizontalPodAutoscalerFields>;

const path = FieldPath.of('spec');
const defaultCpuTarget = 80;
const defaultMinReplicas = 1;

/** Metrics of later versions travel in an annotation. */
function metricsText(object: ApiObject, naming: NamingProfile): string | undefined {
  return object.metadata.annotations?.[annotationOf('metrics', naming)];
}

/** An autoscaler that follows no metric follows the CPU. */
function applyDefaults(object: ApiObject, context: ApiContext): void {
  const { spec } = object as HorizontalPodAutoscaler;
  if (spec && metricsText(object, context.naming) === undefined)
    spec.targetCPUUtilizationPercentage ??= defaultCpuTarget;
}

function validate(autoscaler: HorizontalPodAutoscaler, context: ApiContext): FieldError[] {
  const spec = autoscaler.spec ?? {};
  const min = spec.minReplicas ?? defaultMinReplicas;
  const max = spec.maxReplicas ?? 0;
  const maxPath = path.child('maxReplicas');
  return [
    ...minErrors(autoscaler, min, context),
    ...(max < 1 ? [invalid(maxPath, max, 'must be greater than 0')] : []),
    ...(max < min ? [invalid(maxPath, max, 'must be greater than or equal to `minReplicas`')] : []),
    ...validateReference(spec.scaleTargetRef ?? {}, path.child('scaleTargetRef')),
    ...given(spec.targetCPUUtilizationPercentage, path.child('targetCPUUtilizationPercentage'), positive),
  ];
}

/** Down to zero only behind its gate, and only with a metric that exists without pods. */
function minErrors(autoscaler: HorizontalPodAutoscaler, min: number, context: ApiContext): FieldError[] {
  const lowest = context.isFeatureEnabled('HPAScaleToZero') ? 0 : 1;
  if (min < lowest) {
    return [invalid(path.child('minReplicas'), min, `must be greater than or equal to ${String(lowest)}`)];
  }
  return min > 0 || hasOutsideMetric(metricsText(autoscaler, context.naming))
    ? []
    : [
        forbidden(
          path.child('metrics'),
          'must specify at least one Object or External metric to support scaling to zero replicas',
        ),
      ];
}

function hasOutsideMetric(text: string | undefined): boolean {
  try {
    const metrics: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(metrics) && metrics.some(isOutsideMetric);
  } catch {
    return false;
  }
}

function isOutsideMetric(metric: unknown): boolean {
  return (
    typeof metric === 'object' &&
    metric !== null &&
    'type' in metric &&
    (metric.type === 'Object' || metric.type === 'External')
  );
}

function validateReference(reference: CrossVersionObjectReference, at: FieldPath): FieldError[] {
  return (['kind', 'name'] as const).flatMap((field) =>
    need(reference[field], at.child(field), obeys(pathSegment)),
  );
}

function validateStatus(next: HorizontalPodAutoscaler): FieldError[] {
  const at = FieldPath.of('status');
  return (['currentReplicas', 'desiredReplicas'] as const).flatMap((field) =>
    given(next.status?.[field], at.child(field), nonNegative),
  );
}

export const horizontalPodAutoscalers = defineResource<HorizontalPodAutoscaler>({
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  namespaced: true,
  versions: [{ version: 'v1', applyDefaults }, v2, v2beta1, v2beta2],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: (next, { naming }) => {
      dropStatus(next);
      keepAnnotations(next, annotatedStatus, { current: undefined, naming });
    },
    prepareForUpdate: (next, current, { naming }) => {
      keepStatus(next, current);
      keepAnnotations(next, annotatedStatus, { current, naming });
    },
    validate,
  },
  subresources: [
    statusSubresource<HorizontalPodAutoscaler>({
      prepareForUpdate: (next, current, { naming }) => {
        keepSpec(next, current);
        keepAnnotations(next, annotatedSpec, { current, naming });
      },
      validateUpdate: validateStatus,
    }),
  ],
  columns: [
    nameColumn,
    column<HorizontalPodAutoscaler>(
      'Reference',
      ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`,
      { description: 'What is scaled.' },
    ),
    column<HorizontalPodAutoscaler>('Targets', (object, naming) => targetsText(object, naming), {
      description: 'Current and wanted value of each metric.',
    }),
    column<HorizontalPodAutoscaler>('MinPods', ({ spec }) => String(spec?.minReplicas ?? '<unset>'), {
      description: 'Fewest pods.',
    }),
    column<HorizontalPodAutoscaler>('MaxPods', ({ spec }) => spec?.maxReplicas ?? 0, {
      description: 'Most pods.',
    }),
    column<HorizontalPodAutoscaler>('Replicas', ({ status }) => status?.currentReplicas ?? 0, {
      description: 'Pods now.',
    }),
    ageColumn,
  ],
});
