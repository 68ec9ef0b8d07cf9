/** Job: runs pods until enough of them succeeded. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../columns/columns.ts';
import { TimeSince } from '../columns/human-duration.ts';
import { containerImages, containerNames } from '../core/pod/template-columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import { selectorCell } from '../selector-text.ts';
import { isSince } from '../since.ts';
import type { ApiContext, CellValue } from '../types.ts';
import { parseObjectSelector } from '../validation/object-selector.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, nonNegative, own, same } from '../validation/rules.ts';
import {
  applyJobTemplateDefaults,
  applyLaterJobDefaults,
  dropDisabledJobFields,
  validateJobSpec,
} from './job-spec.ts';
import { validateJobUpdate } from './job-update.ts';
import type { Job as JobFields } from './v1.types.ts';

type Job = Stored<JobFields>;

const path = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const defaultBackoffLimit = 6;
/** Labels that tie pods to their job; from release 1.27 on also with the prefix of the group, whose uid selects. */
const uidLabel = 'controller-uid';
const nameLabel = 'job-name';
const firstWithPrefix = 27;

function withPrefix(label: string, { naming }: ApiContext): string {
  return `batch.${naming.labelDomain}/${label}`;
}

/** Neither completions nor parallelism: one pod that succeeds once. */
function applyDefaults(object: ApiObject, context: ApiContext): void {
  const { metadata, spec } = object as Job;
  if (!spec) return;
  applyJobTemplateDefaults(spec, context);
  if (spec.completions == null && spec.parallelism == null) spec.completions = 1;
  spec.parallelism ??= 1;
  applyLaterJobDefaults(spec, context);
  spec.backoffLimit ??= defaultBackoffLimit;
  if (context.isFeatureEnabled('IndexedJob')) spec.completionMode ??= 'NonIndexed';
  if (context.isFeatureEnabled('SuspendJob')) spec.suspend ??= false;
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(labels).length > 0 && Object.keys(metadata.labels ?? {}).length === 0)
    metadata.labels = { ...labels };
}

/** Pods are chosen by the uid of their job, unless its author takes that upon himself (`manualSelector`). */
function generateSelector({ metadata, spec }: Job, context: ApiContext): void {
  if (!spec || spec.manualSelector === true) return;
  const uid = metadata.uid ?? '';
  const template = (spec.template ??= {});
  const meta = (template.metadata ??= {});
  const labels = { ...meta.labels };
  const hasPrefix = isSince(context, firstWithPrefix);
  for (const [label, value] of tiesOf(metadata, hasPrefix ? context : undefined)) labels[label] ??= value;
  meta.labels = labels;
  const selector = (spec.selector ??= {});
  selector.matchLabels = { ...selector.matchLabels };
  selector.matchLabels[hasPrefix ? withPrefix(uidLabel, context) : uidLabel] ??= uid;
}

/** The labels that tie pods to a job, and their values. */
function tiesOf({ name = '', uid = '' }: Job['metadata'], prefixed?: ApiContext): [string, string][] {
  const ties: [string, string][] = [
    [nameLabel, name],
    [uidLabel, uid],
  ];
  return prefixed
    ? [...ties, ...ties.map(([label, value]): [string, string] => [withPrefix(label, prefixed), value])]
    : ties;
}

function prepareForCreate(job: Job, context: ApiContext): void {
  dropStatus(job);
  if (job.spec) dropDisabledJobFields(job.spec, undefined, context);
  generateSelector(job, context);
}

function validate(job: Job, context: ApiContext): FieldError[] {
  const { spec = {} } = job;
  const labels = spec.template?.metadata?.labels ?? {};
  const at = path.child('template').child('metadata').child('labels');
  return [
    ...validateJobSpec(spec, path, context),
    ...(spec.selector == null ? [required(path.child('selector'))] : []),
    ...generatedErrors(job, context),
    ...(spec.selector != null && parseObjectSelector(spec.selector)?.(labels) === false
      ? [invalid(at, labels, '`selector` does not match template `labels`')]
      : []),
  ];
}

/** The labels that a generated selector rests on say the job's own uid and name. */
function generatedErrors({ metadata, spec = {} }: Job, context: ApiContext): FieldError[] {
  if (spec.manualSelector === true) return [];
  const labels = spec.template?.metadata?.labels;
  const at = path.child('template').child('metadata').child('labels');
  // A job that an earlier release has made keeps its labels.
  const isPrefixed = own(labels, withPrefix(uidLabel, context)) !== undefined;
  const expected = tiesOf(metadata, isPrefixed ? context : undefined);
  const selecting = isPrefixed ? withPrefix(uidLabel, context) : uidLabel;
  const selected = own(spec.selector?.matchLabels, selecting) ?? own(spec.selector?.matchLabels, uidLabel);
  const byUid = selected === metadata.uid;
  return [
    ...expected
      .filter(([label, value]) => value !== '' && own(labels, label) !== value)
      .map(([label, value]) => invalid(at, labels ?? {}, `${label} must be ${value}`)),
    ...(byUid || metadata.uid === undefined
      ? []
      : [invalid(path.child('selector'), spec.selector ?? {}, '`selector` not auto-generated')]),
  ];
}

function validateStatus({ status }: Job): FieldError[] {
  const counts = ['active', 'succeeded', 'failed'] as const;
  return counts.flatMap((field) => given(status?.[field], statusPath.child(field), nonNegative));
}

function completions({ spec, status }: Job): string {
  const done = String(status?.succeeded ?? 0);
  if (spec?.completions != null) return `${done}/${String(spec.completions)}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${done}/1 of ${String(parallelism)}` : `${done}/1`;
}

/** In the order of what says most. */
const states = ['Complete', 'Failed', 'Terminating', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function state({ metadata, status }: Job): string {
  const met = new Set(
    (status?.conditions ?? []).filter((found) => found.status === 'True').map(({ type }) => type),
  );
  if (metadata.deletionTimestamp != null) met.add('Terminating');
  return states.find((name) => met.has(name)) ?? 'Running';
}

function duration({ status }: Job): CellValue {
  if (!status?.startTime) return '';
  const start = new TimeSince(Date.parse(status.startTime));
  return status.completionTime ? start.text(Date.parse(status.completionTime)) : start;
}

export const jobs = defineResource<Job>({
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  namespaced: true,
  versions: [{ version: 'v1', applyDefaults }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    defaultPropagation: 'Orphan',
    generationSince: 22,
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate,
    prepareForUpdate: (next, current, context) => {
      keepStatus(next, current);
      if (next.spec) dropDisabledJobFields(next.spec, current.spec, context);
    },
    validate,
    podOf: ({ spec }) => ({ ...spec?.template, path: path.child('template') }),
    validateUpdate: validateJobUpdate,
  },
  subresources: [statusSubresource<Job>({ validateUpdate: validateStatus })],
  columns: [
    nameColumn,
    column<Job>('Status', state, { description: 'How it is doing, in one word.', since: '1.30' }),
    column<Job>('Completions', completions, { description: 'Pods that succeeded, of those wanted.' }),
    column<Job>('Duration', duration, { description: 'How long it ran, or runs.' }),
    ageColumn,
    wideColumn<Job>('Containers', ({ spec }) => containerNames(spec?.template), 'Containers of a pod.'),
    wideColumn<Job>('Images', ({ spec }) => containerImages(spec?.template), 'Images of the containers.'),
    wideColumn<Job>('Selector', ({ spec }) => selectorCell(spec?.selector), 'Labels of its pods.'),
  ],
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
});
