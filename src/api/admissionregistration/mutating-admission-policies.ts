/** MutatingAdmissionPolicy and its bindings: changes of requests, in CEL. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { defineResource, type Stored } from '../define.ts';
import type { ResourceVersionDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, given, need, same } from '../validation/rules.ts';
import {
  bindingColumns,
  policyColumns,
  validateBinding,
  validateMatchConditions,
  validateMatchResources,
  validateParamKind,
  validateVariables,
} from './policy-parts.ts';
import type {
  MutatingAdmissionPolicy as PolicyFields,
  MutatingAdmissionPolicyBinding as BindingFields,
  Mutation,
} from './v1.types.ts';

type MutatingAdmissionPolicy = Stored<PolicyFields>;
type MutatingAdmissionPolicyBinding = Stored<BindingFields>;

const path = FieldPath.of('spec');

function versionsOf(kind: string): ResourceVersionDefinition[] {
  const replacement = `admissionregistration.{api}/v1 ${kind}`;
  return [
    { version: 'v1', introducedIn: '1.36' },
    { version: 'v1beta1', introducedIn: '1.34', deprecatedIn: '1.37', removedIn: '1.40', replacement },
    { version: 'v1alpha1', introducedIn: '1.32', deprecatedIn: '1.35', removedIn: '1.38', replacement },
  ];
}

function validate({ spec = {} }: MutatingAdmissionPolicy): FieldError[] {
  const { mutations, matchConstraints } = spec;
  return [
    ...given(spec.paramKind, path.child('paramKind'), validateParamKind),
    ...(matchConstraints == null
      ? [required(path.child('matchConstraints'))]
      : validateMatchResources(matchConstraints, path.child('matchConstraints'), { needsRules: true })),
    ...validateMatchConditions(spec.matchConditions, path.child('matchConditions'), (text, at) =>
      need(text?.trim(), at),
    ),
    ...validateVariables(spec.variables, path.child('variables'), ({ expression }, at) =>
      need(expression?.trim(), at),
    ),
    ...((mutations ?? []).length === 0 ? [required(path.child('mutations'))] : []),
    ...each(mutations, path.child('mutations'), validateMutation),
    ...need(spec.reinvocationPolicy, path.child('reinvocationPolicy')),
  ];
}

const unions = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;

/** The field that the type names is set, the other is not. */
function validateMutation(mutation: Mutation, at: FieldPath): FieldError[] {
  const { patchType = '' } = mutation;
  return [
    ...need(patchType, at.child('patchType')),
    ...Object.entries(unions).flatMap(([type, field]) => {
      const change = mutation[field];
      const p = at.child(field);
      if (type !== patchType)
        return change == null ? [] : [forbidden(p, `may only be set when patchType is ${type}`)];
      return change == null ? [required(p)] : need(change.expression?.trim(), p.child('expression'));
    }),
  ];
}

export const mutatingAdmissionPolicies = defineResource<MutatingAdmissionPolicy>({
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  categories: ['api-extensions'],
  namespaced: false,
  versions: versionsOf('MutatingAdmissionPolicy'),
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    validate,
  },
  columns: policyColumns({ name: 'Mutations', field: 'mutations', description: 'How many changes.' }),
});

export const mutatingAdmissionPolicyBindings = defineResource<MutatingAdmissionPolicyBinding>({
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
  categories: ['api-extensions'],
  namespaced: false,
  versions: versionsOf('MutatingAdmissionPolicyBinding'),
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    validate: ({ spec = {} }) => validateBinding(spec, path),
  },
  columns: bindingColumns,
});
