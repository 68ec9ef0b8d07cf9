/** PodGroup: pods that are scheduled together. */
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, nameColumn } from '../columns/columns.ts';
import { defineResource, dropStatus, keepStatus, type Stored } from '../define.ts';
import { conditionsSubresource } from '../status-conditions.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { unchanged } from '../validation/rules.ts';
import { policyErrors, validateClaims } from './group-rules.ts';
import type { PodGroup as GroupFields } from './v1alpha2.types.ts';

type PodGroup = Stored<GroupFields>;

const path = FieldPath.of('spec');
const fixed = [
  'disruptionMode',
  'podGroupTemplateRef',
  'priority',
  'priorityClassName',
  'resourceClaims',
  'schedulingConstraints',
  'schedulingPolicy',
] as const;

function validate({ spec }: PodGroup): FieldError[] {
  return [
    ...policyErrors(spec?.schedulingPolicy, path.child('schedulingPolicy')),
    ...validateClaims(spec?.resourceClaims, path.child('resourceClaims')),
  ];
}

export const podGroups = defineResource<PodGroup>({
  kind: 'PodGroup',
  plural: 'podgroups',
  namespaced: true,
  versions: [{ version: 'v1alpha2', introducedIn: '1.36' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate,
    validateUpdate: (next, current) =>
      fixed.flatMap((field) => unchanged(next.spec?.[field], current.spec?.[field], path.child(field))),
  },
  subresources: [conditionsSubresource<PodGroup>()],
  columns: [nameColumn, ageColumn],
});
