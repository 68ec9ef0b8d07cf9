/** DaemonSet: one pod of a template on every node that fits. */
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, labelsText, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import type { ApiContext, ResourceVersionDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, nonNegative, same, sameMeaning, unchanged } from '../validation/rules.ts';
import { toAnnotation, templateGenerationAnnotation, fromAnnotation } from './workload-annotations.ts';
import { amountOf, atMostWhole, intOrPercent } from '../validation/int-or-percent.ts';
import { collisionErrors, validateCounts } from './replica-counts.ts';
import {
  applyLabelDefaults,
  applyTemplateDefaults,
  dropDisabledTemplateFields,
  selectorColumn,
  templateColumns,
  validateSetSelector,
  validateSetTemplate,
} from './template.ts';
import type { DaemonSet as DaemonSetFields, DaemonSetUpdateStrategy } from './v1.types.ts';

type DaemonSet = Stored<DaemonSetFields>;

const path = FieldPath.of('spec');

function validate({ spec }: DaemonSet, context: ApiContext): FieldError[] {
  const template = path.child('template');
  const hasDisks = (spec?.template?.spec?.volumes ?? []).flatMap(({ gcePersistentDisk }, i) =>
    gcePersistentDisk != null && gcePersistentDisk.readOnly !== true ? [i] : [],
  );
  return [
    ...validateSetSelector(spec?.selector, path.child('selector'), 'DaemonSet'),
    ...validateSetTemplate(spec?.template, spec?.selector, template, context),
    ...hasDisks.map((i) =>
      invalid(
        template.child('spec').child('volumes').index(i).child('gcePersistentDisk').child('readOnly'),
        false,
        'must be true for replicated pods, a disk can be mounted only read-only by more than one',
      ),
    ),
    ...given(spec?.minReadySeconds, path.child('minReadySeconds'), nonNegative),
    ...validateStrategy(spec?.updateStrategy ?? {}, path.child('updateStrategy'), context),
    ...given(spec?.revisionHistoryLimit, path.child('revisionHistoryLimit'), nonNegative),
  ];
}

/** One of both amounts moves the update on. */
function validateStrategy(
  strategy: DaemonSetUpdateStrategy,
  at: FieldPath,
  context: ApiContext,
): FieldError[] {
  if (strategy.type !== 'RollingUpdate') return strategy.type ? [] : [required(at.child('type'))];
  const rolling = at.child('rollingUpdate');
  if (strategy.rollingUpdate == null) return [required(rolling)];
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate;
  const hasSurge = context.isFeatureEnabled('DaemonSetUpdateSurge') && amountOf(maxSurge) > 0;
  const unavailable = rolling.child('maxUnavailable');
  return [
    ...given(maxUnavailable, unavailable, (value, p) => [
      ...intOrPercent(value, p),
      ...atMostWhole(value, p),
    ]),
    ...given(maxSurge, rolling.child('maxSurge'), (value, p) => [
      ...intOrPercent(value, p),
      ...atMostWhole(value, p),
    ]),
    ...(amountOf(maxUnavailable) === 0 && !hasSurge
      ? [invalid(unavailable, maxUnavailable ?? 0, 'cannot be 0 when maxSurge is 0')]
      : []),
    ...(amountOf(maxUnavailable) !== 0 && hasSurge
      ? [invalid(rolling.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
  ];
}

/** The surge of updates is behind its gate. */
function dropDisabled(next: DaemonSet, current: DaemonSet | undefined, context: ApiContext): void {
  dropDisabledTemplateFields(next, current, context);
  const isUsed = current?.spec?.updateStrategy?.rollingUpdate?.maxSurge != null;
  if (!context.isFeatureEnabled('DaemonSetUpdateSurge') && !isUsed)
    delete next.spec?.updateStrategy?.rollingUpdate?.maxSurge;
}

/** Counts the changes of the template for those that still speak the extensions version. */
function countTemplates(next: DaemonSet, current: DaemonSet | undefined): void {
  const { [templateGenerationAnnotation]: before } = current?.metadata.annotations ?? {};
  if (before === undefined) return;
  const count = Number(before) + (sameMeaning(next.spec?.template, current?.spec?.template) ? 0 : 1);
  next.metadata.annotations = { ...next.metadata.annotations, [templateGenerationAnnotation]: String(count) };
}

const counts = [
  'currentNumberScheduled',
  'desiredNumberScheduled',
  'numberMisscheduled',
  'numberReady',
  'numberAvailable',
  'numberUnavailable',
  'updatedNumberScheduled',
  'observedGeneration',
  'collisionCount',
] as const;

function validateStatus(next: DaemonSet, current: DaemonSet): FieldError[] {
  return [...validateCounts(next.status, counts), ...collisionErrors(next.status, current.status)];
}

/** The extensions version counts changes of the template in its spec. */
export const extensionsDaemonSet: ResourceVersionDefinition = {
  version: 'v1beta1',
  served: false,
  deprecatedIn: '1.8',
  removedIn: '1.16',
  replacement: 'apps/v1 DaemonSet',
  applyDefaults: applyLabelDefaults,
  toStorage: (object: JsonObject): JsonObject => {
    const spec = isObject(object['spec']) ? object['spec'] : {};
    toAnnotation(object, templateGenerationAnnotation, spec['templateGeneration'] ?? 0);
    delete spec['templateGeneration'];
    return object;
  },
  fromStorage: (object: JsonObject): JsonObject => {
    const generation = fromAnnotation(object, templateGenerationAnnotation);
    if (generation === undefined || generation === 0) return object;
    const spec = (object['spec'] ??= {}) as JsonObject;
    spec['templateGeneration'] = generation;
    return object;
  },
};

export const daemonSets = defineResource<DaemonSet>({
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  namespaced: true,
  versions: [
    { version: 'v1', applyDefaults: applyTemplateDefaults },
    {
      version: 'v1beta2',
      deprecatedIn: '1.9',
      removedIn: '1.16',
      replacement: 'apps/v1 DaemonSet',
      applyDefaults: applyTemplateDefaults,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: (set, context) => {
      dropStatus(set);
      dropDisabled(set, undefined, context);
    },
    prepareForUpdate: (next, current, context) => {
      keepStatus(next, current);
      dropDisabled(next, current, context);
      countTemplates(next, current);
    },
    validate,
    podOf: ({ spec }) => ({ ...spec?.template, path: path.child('template') }),
    validateUpdate: (next, current) =>
      unchanged(next.spec?.selector, current.spec?.selector, path.child('selector')),
  },
  subresources: [statusSubresource<DaemonSet>({ validateUpdate: validateStatus })],
  columns: [
    nameColumn,
    column<DaemonSet>('Desired', ({ status }) => status?.desiredNumberScheduled, {
      type: 'integer',
      description: 'Nodes that should run its pod.',
    }),
    column<DaemonSet>('Current', ({ status }) => status?.currentNumberScheduled, {
      type: 'integer',
      description: 'Nodes that run its pod.',
    }),
    column<DaemonSet>('Ready', ({ status }) => status?.numberReady, {
      type: 'integer',
      description: 'Nodes whose pod is ready.',
    }),
    column<DaemonSet>('Up-to-date', ({ status }) => status?.updatedNumberScheduled, {
      type: 'integer',
      description: 'Nodes whose pod follows the newest template.',
    }),
    column<DaemonSet>('Available', ({ status }) => status?.numberAvailable, {
      type: 'integer',
      description: 'Nodes whose pod is available.',
    }),
    column<DaemonSet>('Node Selector', ({ spec }) => labelsText(spec?.template?.spec?.nodeSelector), {
      description: 'Labels of the nodes that fit.',
    }),
    ageColumn,
    ...templateColumns,
    selectorColumn,
  ],
});
