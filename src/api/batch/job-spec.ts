/** The spec of a job, in a Job or in the template of a CronJob. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { applyPodSpecDefaults } from '../core/pod/pod-defaults.ts';
import { dropDisabledFields } from '../core/pod/gates.ts';
import { validatePodTemplate } from '../core/pod/pod-spec.ts';
import type { PodRights } from '../core/pod/privileged.ts';
import type { ApiContext } from '../types.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import { given, nonNegative } from '../validation/rules.ts';
import type { JobSpec } from './v1.types.ts';

const maxIndexedParallelism = 100_000;
const restartPolicies = ['OnFailure', 'Never'];

export function applyJobTemplateDefaults(spec: JobSpec): void {
  if (spec.template?.spec) applyPodSpecDefaults(spec.template.spec);
}

/** Every rule but those of the selector, which a template of jobs leaves to the job. */
export function validateJobSpec(spec: JobSpec, path: FieldPath, rights: PodRights): FieldError[] {
  const counts = ['parallelism', 'completions', 'backoffLimit', 'ttlSecondsAfterFinished'] as const;
  const template = path.child('template');
  const policy = spec.template?.spec?.restartPolicy ?? '';
  return [
    ...counts.flatMap((field) => given(spec[field], path.child(field), nonNegative)),
    ...given(spec.activeDeadlineSeconds, path.child('activeDeadlineSeconds'), nonNegative),
    ...indexedErrors(spec, path),
    ...validateLabelSelector(spec.selector, path.child('selector')),
    ...validatePodTemplate(spec.template ?? {}, template, rights),
    ...(restartPolicies.includes(policy)
      ? []
      : [notSupported(template.child('spec').child('restartPolicy'), policy, restartPolicies)]),
  ];
}

/** Numbered completions need their number, and not too many at once. */
function indexedErrors(spec: JobSpec, path: FieldPath): FieldError[] {
  if (spec.completionMode !== 'Indexed') return [];
  const parallelism = spec.parallelism ?? 0;
  const at = path.child('parallelism');
  return [
    ...(spec.completions == null
      ? [required(path.child('completions'), 'when completion mode is Indexed')]
      : []),
    ...(parallelism > maxIndexedParallelism
      ? [
          invalid(
            at,
            parallelism,
            `must be less than or equal to ${String(maxIndexedParallelism)} when completion mode is Indexed`,
          ),
        ]
      : []),
  ];
}

/** Fields behind gates that are off are dropped, unless the stored object has them. */
export function dropDisabledJobFields(
  next: JobSpec,
  current: JobSpec | undefined,
  context: ApiContext,
): void {
  if (next.template?.spec)
    dropDisabledFields(next.template.spec, current?.template?.spec ?? undefined, context);
  const gated = [
    ['TTLAfterFinished', 'ttlSecondsAfterFinished'],
    ['IndexedJob', 'completionMode'],
    ['SuspendJob', 'suspend'],
  ] as const;
  for (const [gate, field] of gated) {
    if (!context.isFeatureEnabled(gate) && current?.[field] == null) Reflect.deleteProperty(next, field);
  }
}
