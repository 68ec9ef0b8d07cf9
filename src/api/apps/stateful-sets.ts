/** StatefulSet: pods with a stable name and storage of their own. */
import type { FieldError } from '../../meta/field-error.ts';
import type { PodRights } from '../core/pod/privileged.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { selectorText } from '../selector-text.ts';
import { isSince } from '../since.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, nonNegative, same, sameExcept } from '../validation/rules.ts';
import { collisionErrors, validateCounts, validateParts } from './replica-counts.ts';
import {
  applyTemplateDefaults,
  applyLabelDefaults,
  dropDisabledTemplateFields,
  templateColumns,
  validateSetSelector,
  validateSetTemplate,
} from './template.ts';
import type {
  StatefulSet as StatefulSetFields,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from './v1.types.ts';

type StatefulSet = Stored<StatefulSetFields>;

const path = FieldPath.of('spec');

/** Defaults of v1 and v1beta2. */
function applyDefaults(object: ApiObject, context: ApiContext): void {
  defaultRetention(object, context);
  applyTemplateDefaults(object, context);
  defaultStrategy(object, context);
  labelClaims(object);
}

/** Claims stay unless the set says otherwise (KEP-1847). */
function defaultRetention(object: ApiObject, { isFeatureEnabled }: ApiContext): void {
  const { spec } = object as StatefulSet;
  if (!spec || !isFeatureEnabled('StatefulSetAutoDeletePVC')) return;
  const policy = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  policy.whenDeleted ??= 'Retain';
  policy.whenScaled ??= 'Retain';
}

/** An update strategy that was not given rolls, from the last pod to the first, one at a time. */
function defaultStrategy({ spec }: StatefulSet, { isFeatureEnabled }: ApiContext): void {
  if (!spec) return;
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  const { type, rollingUpdate } = strategy;
  if (type !== 'RollingUpdate' || !rollingUpdate) return;
  rollingUpdate.partition ??= 0;
  if (isFeatureEnabled('MaxUnavailableStatefulSet')) rollingUpdate.maxUnavailable ??= 1;
}

/** The templates of claims are claims, however they were written. */
function labelClaims(object: ApiObject): void {
  for (const claim of (object as StatefulSet).spec?.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
  }
}

/** Version v1beta1 sets no defaults here. */
function applyOldDefaults(object: ApiObject, context: ApiContext): void {
  applyLabelDefaults(object, context);
  labelClaims(object);
}

function validate({ spec = {} }: StatefulSet, rights: PodRights): FieldError[] {
  return [
    ...(spec.podManagementPolicy ? [] : [required(path.child('podManagementPolicy'))]),
    ...validateStrategy(spec.updateStrategy ?? {}, path.child('updateStrategy')),
    ...given(spec.replicas, path.child('replicas'), nonNegative),
    ...validateSetSelector(spec.selector, path.child('selector'), 'StatefulSet'),
    ...validateSetTemplate(spec.template, spec.selector, path.child('template'), rights),
    ...given(spec.revisionHistoryLimit, path.child('revisionHistoryLimit'), nonNegative),
    ...given(spec.minReadySeconds, path.child('minReadySeconds'), nonNegative),
    ...given(spec.ordinals?.start, path.child('ordinals').child('start'), nonNegative),
  ];
}

function validateStrategy(strategy: StatefulSetUpdateStrategy, at: FieldPath): FieldError[] {
  const rolling = at.child('rollingUpdate');
  switch (strategy.type ?? '') {
    case '':
      return [required(at.child('type'))];
    case 'OnDelete':
      return strategy.rollingUpdate == null
        ? []
        : [invalid(rolling, strategy.rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
    default:
      return given(strategy.rollingUpdate?.partition, rolling.child('partition'), nonNegative);
  }
}

/** What an update may change, and the release that began to allow it. */
const changeable: readonly (readonly [field: keyof StatefulSetSpec, since: number])[] = [
  ['replicas', 0],
  ['ordinals', 26],
  ['template', 0],
  ['updateStrategy', 0],
  ['revisionHistoryLimit', 33],
  ['persistentVolumeClaimRetentionPolicy', 23],
  ['minReadySeconds', 22],
];

function validateUpdate(next: StatefulSet, current: StatefulSet, context: ApiContext): FieldError[] {
  const fields = changeable
    .filter(([, since]) => since === 0 || isSince(context, since))
    .map(([field]) => field);
  if (sameExcept(next.spec ?? {}, current.spec ?? {}, fields)) return [];
  const names = fields.map((field) => `'${field}'`);
  const list = `${names.slice(0, -1).join(', ')}${names.length === 3 ? ',' : ''} and ${names.at(-1) ?? ''}`;
  return [forbidden(path, `updates to statefulset spec for fields other than ${list} are forbidden`)];
}

const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas'] as const;

function validateStatus(next: StatefulSet, current: StatefulSet): FieldError[] {
  return [
    ...validateParts(next.status, parts),
    ...validateCounts(next.status, ['observedGeneration', 'collisionCount']),
    ...collisionErrors(next.status, current.status),
  ];
}

const gone = { removedIn: '1.16', replacement: 'apps/v1 StatefulSet' };

export const statefulSets = defineResource<StatefulSet>({
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  namespaced: true,
  versions: [
    { version: 'v1', applyDefaults },
    { version: 'v1beta2', deprecatedIn: '1.9', ...gone, applyDefaults },
    { version: 'v1beta1', deprecatedIn: '1.8', ...gone, applyDefaults: applyOldDefaults },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: (set, context) => {
      dropStatus(set);
      dropDisabledTemplateFields(set, undefined, context);
    },
    prepareForUpdate: (next, current, context) => {
      keepStatus(next, current);
      dropDisabledTemplateFields(next, current, context);
    },
    validate,
    podOf: ({ spec }) => ({ ...spec?.template, path: path.child('template') }),
    validateUpdate,
  },
  subresources: [
    scaleSubresource<StatefulSet>(({ spec }) => selectorText(spec?.selector)),
    statusSubresource<StatefulSet>({ validateUpdate: validateStatus }),
  ],
  columns: [
    nameColumn,
    column<StatefulSet>(
      'Ready',
      ({ spec, status }) => `${String(status?.readyReplicas ?? 0)}/${String(spec?.replicas ?? 0)}`,
      { description: 'Pods that are ready, and pods that there should be.' },
    ),
    ageColumn,
    ...templateColumns,
  ],
});
