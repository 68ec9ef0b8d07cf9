/** The spec of a job, in a Job or in the template of a CronJob. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { applyPodSpecDefaults } from '../core/pod/pod-defaults.ts';
import { dropDisabledFields } from '../core/pod/gates.ts';
import { validatePodTemplate } from '../core/pod/pod-spec.ts';
import type { PodRights } from '../core/pod/privileged.ts';
import { isSince } from '../since.ts';
import type { ApiContext } from '../types.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import { qualifiedName } from '../validation/name-rules.ts';
import { each, given, need, nonNegative, obeys, positive, type Maybe } from '../validation/rules.ts';
import type { JobSpec, PodFailurePolicyRule } from './v1.types.ts';

const maxInt32 = 2 ** 31 - 1;
const maxRules = 20;
const maxIndexedParallelism = 100_000;
const restartPolicies = ['OnFailure', 'Never'];

export function applyJobTemplateDefaults(spec: JobSpec, context: ApiContext): void {
  if (spec.template?.spec) applyPodSpecDefaults(spec.template.spec, context);
}

/** Defaults of fields that came after release 1.21, and of those that depend on them. */
export function applyLaterJobDefaults(spec: JobSpec, context: ApiContext): void {
  const { isFeatureEnabled } = context;
  if (isSince(context, 29)) spec.manualSelector ??= false;
  if (isFeatureEnabled('JobBackoffLimitPerIndex') && spec.backoffLimitPerIndex != null)
    spec.backoffLimit ??= maxInt32;
  if (isFeatureEnabled('JobPodReplacementPolicy'))
    spec.podReplacementPolicy ??= spec.podFailurePolicy == null ? 'TerminatingOrFailed' : 'Failed';
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? [])
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
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
    ...policyErrors(spec, path),
    ...validateLabelSelector(spec.selector, path.child('selector')),
    ...validatePodTemplate(spec.template ?? {}, template, rights),
    ...(restartPolicies.includes(policy)
      ? []
      : [notSupported(template.child('spec').child('restartPolicy'), policy, restartPolicies)]),
  ];
}

/** Policies of failure and success, and what they need. */
function policyErrors(spec: JobSpec, path: FieldPath): FieldError[] {
  const { podFailurePolicy, successPolicy, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const isIndexed = spec.completionMode === 'Indexed';
  const onlyIndexed = (['backoffLimitPerIndex', 'successPolicy'] as const)
    .filter((field) => spec[field] != null && !isIndexed)
    .map((field) => invalid(path.child(field), spec[field], 'requires indexed completion mode'));
  return [
    ...onlyIndexed,
    ...given(backoffLimitPerIndex, path.child('backoffLimitPerIndex'), nonNegative),
    ...given(maxFailedIndexes, path.child('maxFailedIndexes'), nonNegative),
    ...(maxFailedIndexes != null && backoffLimitPerIndex == null
      ? [required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')]
      : []),
    ...given(podFailurePolicy, path.child('podFailurePolicy'), ({ rules }, at) => [
      ...countErrors(rules, at.child('rules')),
      ...each(rules, at.child('rules'), failureRule),
    ]),
    ...given(successPolicy, path.child('successPolicy'), ({ rules }, at) => [
      ...((rules ?? []).length === 0 ? [required(at.child('rules'))] : []),
      ...countErrors(rules, at.child('rules')),
      ...each(rules, at.child('rules'), ({ succeededCount, succeededIndexes }, p) => [
        ...given(succeededCount, p.child('succeededCount'), positive),
        ...(succeededCount == null && succeededIndexes == null
          ? [required(p, 'at least one of succeededCount or succeededIndexes must be specified')]
          : []),
      ]),
    ]),
  ];
}

function countErrors(rules: Maybe<readonly unknown[]>, at: FieldPath): FieldError[] {
  const { length } = rules ?? [];
  return length > maxRules ? [invalid(at, length, `must have at most ${String(maxRules)} items`)] : [];
}

/** Exit codes or conditions, one of both. */
function failureRule(rule: PodFailurePolicyRule, at: FieldPath): FieldError[] {
  const { onExitCodes, onPodConditions } = rule;
  const hasConditions = (onPodConditions ?? []).length > 0;
  return [
    ...need(rule.action, at.child('action')),
    ...((onExitCodes != null) === hasConditions
      ? [invalid(at, rule.action, 'specifying exactly one of OnExitCodes and OnPodConditions is required')]
      : []),
    ...given(onExitCodes, at.child('onExitCodes'), ({ operator, values }, p) => [
      ...need(operator, p.child('operator')),
      ...((values ?? []).length === 0
        ? [invalid(p.child('values'), values, 'at least one value is required')]
        : []),
      ...(operator === 'In' && (values ?? []).includes(0)
        ? [invalid(p.child('values'), 0, 'must not be 0 for the In operator')]
        : []),
    ]),
    ...each(onPodConditions, at.child('onPodConditions'), ({ type }, p) =>
      need(type, p.child('type'), obeys(qualifiedName)),
    ),
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
