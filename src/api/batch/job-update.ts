/** What an update of a job may change. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { PodTemplateSpec, Container } from '../core/v1.types.ts';
import type { Stored } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { unchanged } from '../validation/rules.ts';
import type { Job as JobFields, JobSpec } from './v1.types.ts';

type Job = Stored<JobFields>;

const path = FieldPath.of('spec');
const fixed = [
  'selector',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

/** Every rule of an update that looks at the job before. */
export function validateJobUpdate(next: Job, current: Job, context: ApiContext): FieldError[] {
  const to = next.spec ?? {};
  const from = current.spec ?? {};
  const template = withMutableParts(from.template ?? {}, to.template ?? {}, current, context);
  return [
    ...completionErrors(to, from, context),
    ...unchanged(to.template ?? {}, template, path.child('template')),
    ...fixed.flatMap((field) => unchanged(to[field], from[field], path.child(field))),
  ];
}

/** A job of numbered pods grows and shrinks where all of them run at once (KEP-3715). */
function completionErrors(to: JobSpec, from: JobSpec, { isFeatureEnabled }: ApiContext): FieldError[] {
  const at = path.child('completions');
  if (to.completionMode !== 'Indexed' || !isFeatureEnabled('ElasticIndexedJob'))
    return unchanged(to.completions, from.completions, at);
  if (to.completions === from.completions) return [];
  if (to.completions == null) return [required(at, 'when completion mode is Indexed')];
  return to.completions === to.parallelism
    ? []
    : [invalid(at, to.completions, 'can only be modified in tandem with spec.parallelism')];
}

/** The template before, with what this update may change taken from the new one. */
function withMutableParts(
  from: PodTemplateSpec,
  to: PodTemplateSpec,
  current: Job,
  context: ApiContext,
): PodTemplateSpec {
  let allowed = from;
  if (mayMovePods(current, context)) allowed = withDirectives(allowed, to);
  if (mayResizePods(current, context)) allowed = withResources(allowed, to);
  return allowed;
}

/** While no pod of it runs, where its pods will run can still be said (KEP-2926, KEP-5440). */
function mayMovePods(job: Job, { isFeatureEnabled }: ApiContext): boolean {
  if (job.spec?.suspend !== true) return false;
  const isNew = job.status?.startTime == null && isFeatureEnabled('JobMutableNodeSchedulingDirectives');
  return isNew || (isFeatureEnabled('MutableSchedulingDirectivesForSuspendedJobs') && isAtRest(job));
}

function mayResizePods(job: Job, { isFeatureEnabled }: ApiContext): boolean {
  return (
    job.spec?.suspend === true && isFeatureEnabled('MutablePodResourcesForSuspendedJobs') && isAtRest(job)
  );
}

/** Its controller has suspended it, and the last pods are gone. */
function isAtRest({ status }: Job): boolean {
  const isSuspended = (status?.conditions ?? []).some(
    (condition) => condition.type === 'Suspended' && condition.status === 'True',
  );
  return (isSuspended || status?.startTime == null) && !status?.active;
}

function withDirectives(from: PodTemplateSpec, to: PodTemplateSpec): PodTemplateSpec {
  const { labels, annotations } = to.metadata ?? {};
  const { nodeSelector, tolerations, schedulingGates, affinity } = to.spec ?? {};
  const nodeAffinity = { ...from.spec?.affinity, nodeAffinity: affinity?.nodeAffinity };
  const isOther = affinity != null || Object.values(nodeAffinity).some((part) => part != null);
  return {
    metadata: compact({ ...from.metadata, labels, annotations }),
    spec: compact({
      ...from.spec,
      ...{ nodeSelector, tolerations, schedulingGates },
      affinity: isOther ? compact(nodeAffinity) : undefined,
    }),
  };
}

function withResources(from: PodTemplateSpec, to: PodTemplateSpec): PodTemplateSpec {
  const resized = (before: readonly Container[] = [], after: readonly Container[] = []): Container[] =>
    before.map((container, i) =>
      container.name === after[i]?.name
        ? compact({ ...container, resources: after[i]?.resources })
        : container,
    );
  const { containers, initContainers } = from.spec ?? {};
  return {
    ...from,
    spec: {
      ...from.spec,
      ...(containers && { containers: resized(containers, to.spec?.containers ?? []) }),
      ...(initContainers && { initContainers: resized(initContainers, to.spec?.initContainers ?? []) }),
    },
  };
}

/** Without members that are undefined. */
function compact<T extends object>(object: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
