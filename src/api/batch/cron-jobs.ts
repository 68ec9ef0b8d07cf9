/** CronJob: makes jobs of a template at the times of a schedule. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../columns/columns.ts';
import { ageOf } from '../columns/human-duration.ts';
import { containerImages, containerNames } from '../core/pod/template-columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import { selectorCell } from '../selector-text.ts';
import type { ApiContext, NameRule } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, need, nonNegative, obeys, same } from '../validation/rules.ts';
import { applyJobTemplateDefaults, dropDisabledJobFields, validateJobSpec } from './job-spec.ts';
import type { PodRights } from '../core/pod/privileged.ts';
import { scheduleErrors } from './schedule.ts';
import type { CronJob as CronJobFields, JobSpec } from './v1.types.ts';

type CronJob = Stored<CronJobFields>;

const path = FieldPath.of('spec');
/** Names of its jobs get eleven characters more. */
const nameMaxLength = 52;

const validateName: NameRule = (name, isPrefix) => [
  ...nameIsDns1123Subdomain(name, isPrefix),
  ...(name.length > nameMaxLength ? [`must be no more than ${String(nameMaxLength)} characters`] : []),
];

function jobSpec(cronJob: CronJob | undefined): JobSpec | undefined {
  return cronJob?.spec?.jobTemplate?.spec;
}

function applyDefaults(object: ApiObject, context: ApiContext): void {
  const spec = jobSpec(object);
  if (spec) applyJobTemplateDefaults(spec, context);
}

function validate({ spec = {} }: CronJob, rights: PodRights): FieldError[] {
  const limits = ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const;
  const template = path.child('jobTemplate').child('spec');
  return [
    ...need(spec.schedule, path.child('schedule'), obeys(scheduleErrors)),
    ...given(spec.timeZone, path.child('timeZone'), timeZone),
    ...given(spec.startingDeadlineSeconds, path.child('startingDeadlineSeconds'), nonNegative),
    ...(spec.concurrencyPolicy ? [] : [required(path.child('concurrencyPolicy'))]),
    ...validateJobSpec(spec.jobTemplate?.spec ?? {}, template, rights),
    ...(spec.jobTemplate?.spec?.manualSelector === true
      ? [forbidden(template.child('manualSelector'), 'the selector of its jobs is generated')]
      : []),
    ...limits.flatMap((field) => given(spec[field], path.child(field), nonNegative)),
  ];
}

/** A zone of the time zone database; the one of the process is no name for others. */
function timeZone(name: string, at: FieldPath): FieldError[] {
  const message = zoneProblem(name);
  return message === '' ? [] : [invalid(at, name, message)];
}

function zoneProblem(name: string): string {
  if (name === '') return 'must be nil or non-empty string';
  if (name.toLowerCase() === 'local') return 'timeZone must be an explicit time zone';
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[+-]/.test(name) ? `unknown time zone ${name}` : '';
  } catch {
    return `unknown time zone ${name}`;
  }
}

function prepare(
  next: CronJob,
  current: CronJob | undefined,
  context: Parameters<typeof dropDisabledJobFields>[2],
): void {
  const spec = jobSpec(next);
  if (spec) dropDisabledJobFields(spec, jobSpec(current), context);
}

function suspended({ spec }: CronJob): string {
  if (spec?.suspend == null) return '<unset>';
  return spec.suspend ? 'True' : 'False';
}

export const cronJobs = defineResource<CronJob>({
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  namespaced: true,
  versions: [
    { version: 'v1', applyDefaults },
    {
      version: 'v1beta1',
      deprecatedIn: '1.21',
      removedIn: '1.25',
      replacement: 'batch/v1 CronJob',
      defaultPropagation: 'Orphan',
      applyDefaults,
    },
    {
      version: 'v2alpha1',
      deprecatedIn: '1.21',
      removedIn: '1.22',
      replacement: 'batch/v1 CronJob',
      defaultPropagation: 'Orphan',
      applyDefaults,
    },
  ],
  validateName,
  strategy: {
    generationSince: 22,
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: (cronJob, context) => {
      dropStatus(cronJob);
      prepare(cronJob, undefined, context);
    },
    prepareForUpdate: (next, current, context) => {
      keepStatus(next, current);
      prepare(next, current, context);
    },
    validate,
    podOf: (cronJob) => ({
      ...jobSpec(cronJob)?.template,
      path: path.child('jobTemplate').child('spec').child('template'),
    }),
  },
  subresources: [statusSubresource<CronJob>()],
  columns: [
    nameColumn,
    column<CronJob>('Schedule', ({ spec }) => spec?.schedule, { description: 'When it runs.' }),
    column<CronJob>('Timezone', ({ spec }) => spec?.timeZone ?? '<none>', {
      description: 'Time zone of the schedule.',
      since: '1.30',
    }),
    column<CronJob>('Suspend', suspended, { type: 'boolean', description: 'Whether it makes no jobs now.' }),
    column<CronJob>('Active', ({ status }) => (status?.active ?? []).length, {
      type: 'integer',
      description: 'Jobs that run now.',
    }),
    column<CronJob>(
      'Last Schedule',
      ({ status }) => (status?.lastScheduleTime ? ageOf(status.lastScheduleTime) : '<none>'),
      { description: 'Time since it last made a job.' },
    ),
    ageColumn,
    wideColumn<CronJob>(
      'Containers',
      (object) => containerNames(jobSpec(object)?.template),
      'Containers of a pod.',
    ),
    wideColumn<CronJob>(
      'Images',
      (object) => containerImages(jobSpec(object)?.template),
      'Images of the containers.',
    ),
    wideColumn<CronJob>(
      'Selector',
      (object) => selectorCell(jobSpec(object)?.selector),
      'Labels of its pods.',
    ),
  ],
  selectableFields: { 'status.successful': () => '' },
});
