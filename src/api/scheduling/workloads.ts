/** Workload: groups of pods that belong together, as templates of PodGroups. */
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import { dns1123Label, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, need, obeys, repeatedNames, unchanged } from '../validation/rules.ts';
import { countError, policyErrors, validateClaims } from './group-rules.ts';
import type { PodGroupTemplate, Workload as WorkloadFields } from './v1alpha2.types.ts';

type Workload = Stored<WorkloadFields>;

const path = FieldPath.of('spec');
const maxTemplates = 8;

function validate({ spec }: Workload): FieldError[] {
  const at = path.child('podGroupTemplates');
  const templates = spec?.podGroupTemplates ?? [];
  return [
    ...countError(templates, at, { min: 1, max: maxTemplates }),
    ...each(templates, at, validateTemplate),
    ...repeatedNames(templates, at),
  ];
}

function validateTemplate(template: PodGroupTemplate, at: FieldPath): FieldError[] {
  return [
    ...need(template.name, at.child('name'), obeys(dns1123Label)),
    ...policyErrors(template.schedulingPolicy, at.child('schedulingPolicy')),
    ...validateClaims(template.resourceClaims, at.child('resourceClaims')),
  ];
}

export const workloads = defineResource<Workload>({
  kind: 'Workload',
  plural: 'workloads',
  namespaced: true,
  versions: [{ version: 'v1alpha2', introducedIn: '1.36' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    validate,
    validateUpdate: (next, current) =>
      (['controllerRef', 'podGroupTemplates'] as const).flatMap((field) =>
        unchanged(next.spec?.[field], current.spec?.[field], path.child(field)),
      ),
  },
  columns: [nameColumn, ageColumn],
});
