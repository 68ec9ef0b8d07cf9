/** ReplicaSet: keeps a number of pods of one template running. */
import type { FieldError } from '../../meta/field-error.ts';
import type { PodRights } from '../core/pod/privileged.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { selectorText } from '../selector-text.ts';
import type { ResourceVersionDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, nonNegative, same, unchanged } from '../validation/rules.ts';
import { availableErrors, validateCounts, validateParts } from './replica-counts.ts';
import {
  applyLabelDefaults,
  applyTemplateDefaults,
  dropDisabledTemplateFields,
  selectorColumn,
  templateColumns,
  validateSetSelector,
  validateSetTemplate,
} from './template.ts';
import type { ReplicaSet as ReplicaSetFields } from './v1.types.ts';

type ReplicaSet = Stored<ReplicaSetFields>;

const path = FieldPath.of('spec');

function validate({ spec = {} }: ReplicaSet, rights: PodRights): FieldError[] {
  return [
    ...given(spec.replicas, path.child('replicas'), nonNegative),
    ...given(spec.minReadySeconds, path.child('minReadySeconds'), nonNegative),
    ...validateSetSelector(spec.selector, path.child('selector'), 'deployment'),
    ...validateSetTemplate(spec.template, spec.selector, path.child('template'), rights),
  ];
}

const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

function validateStatus({ status }: ReplicaSet): FieldError[] {
  return [
    ...validateParts(status, parts),
    ...validateCounts(status, ['observedGeneration']),
    ...availableErrors(status),
  ];
}

const gone = { removedIn: '1.16', replacement: 'apps/v1 ReplicaSet' };

export const extensionsReplicaSet: ResourceVersionDefinition = {
  version: 'v1beta1',
  served: false,
  deprecatedIn: '1.8',
  ...gone,
  applyDefaults: applyLabelDefaults,
};

export const replicaSets = defineResource<ReplicaSet>({
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  namespaced: true,
  versions: [
    { version: 'v1', applyDefaults: applyTemplateDefaults },
    { version: 'v1beta2', deprecatedIn: '1.9', ...gone, applyDefaults: applyTemplateDefaults },
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
    validateUpdate: (next, current) =>
      unchanged(next.spec?.selector, current.spec?.selector, path.child('selector')),
  },
  subresources: [
    scaleSubresource<ReplicaSet>(({ spec }) => selectorText(spec?.selector)),
    statusSubresource<ReplicaSet>({ validateUpdate: validateStatus }),
  ],
  columns: [
    nameColumn,
    column<ReplicaSet>('Desired', ({ spec }) => spec?.replicas, {
      type: 'integer',
      description: 'Pods that there should be.',
    }),
    column<ReplicaSet>('Current', ({ status }) => status?.replicas, {
      type: 'integer',
      description: 'Pods that there are.',
    }),
    column<ReplicaSet>('Ready', ({ status }) => status?.readyReplicas, {
      type: 'integer',
      description: 'Pods that are ready.',
    }),
    ageColumn,
    ...templateColumns,
    selectorColumn,
  ],
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
});
