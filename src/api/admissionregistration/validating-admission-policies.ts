/** ValidatingAdmissionPolicy and its bindings: rules in CEL that requests must meet. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { defineResource, dropStatus, keepStatus, type Stored } from '../define.ts';
import { conditionsSubresource } from '../status-conditions.ts';
import type { ResourceVersionDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, given, need, repeated, same } from '../validation/rules.ts';
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
  ValidatingAdmissionPolicy as PolicyFields,
  ValidatingAdmissionPolicyBinding as BindingFields,
  Validation,
} from './v1.types.ts';

type ValidatingAdmissionPolicy = Stored<PolicyFields>;
type ValidatingAdmissionPolicyBinding = Stored<BindingFields>;

const path = FieldPath.of('spec');

function versionsOf(kind: string): ResourceVersionDefinition[] {
  const replacement = `admissionregistration.{api}/v1 ${kind}`;
  return [
    { version: 'v1', introducedIn: '1.30' },
    { version: 'v1beta1', introducedIn: '1.28', deprecatedIn: '1.31', removedIn: '1.34', replacement },
    { version: 'v1alpha1', introducedIn: '1.26', deprecatedIn: '1.29', removedIn: '1.32', replacement },
  ];
}

function validate({ spec = {} }: ValidatingAdmissionPolicy): FieldError[] {
  const { validations, auditAnnotations, matchConstraints } = spec;
  const isEmpty = (validations ?? []).length === 0 && (auditAnnotations ?? []).length === 0;
  return [
    ...given(spec.paramKind, path.child('paramKind'), validateParamKind),
    ...(matchConstraints == null
      ? [required(path.child('matchConstraints'))]
      : validateMatchResources(matchConstraints, path.child('matchConstraints'), { needsRules: true })),
    ...validateMatchConditions(spec.matchConditions, path.child('matchConditions'), (text, at) =>
      need(text?.trim(), at),
    ),
    ...validateVariables(spec.variables, path.child('variables')),
    ...(isEmpty
      ? [required(path.child('validations'), 'validations or auditAnnotations must be specified')]
      : []),
    ...each(validations, path.child('validations'), validateValidation),
    ...each(auditAnnotations, path.child('auditAnnotations'), ({ key, valueExpression }, at) => [
      ...need(key, at.child('key')),
      ...need(valueExpression?.trim(), at.child('valueExpression')),
    ]),
    ...repeated(auditAnnotations, path.child('auditAnnotations'), ({ key }) => ({ value: key, at: 'key' })),
  ];
}

function validateValidation({ expression, message }: Validation, at: FieldPath): FieldError[] {
  return [
    ...need(expression?.trim(), at.child('expression')),
    ...((message ?? '').includes('\n')
      ? [forbidden(at.child('message'), 'must not contain line breaks')]
      : []),
  ];
}

/** A refusal that is also a warning says the same twice. */
function validateActions({ spec = {} }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const actions = spec.validationActions ?? [];
  const at = path.child('validationActions');
  return [
    ...validateBinding(spec, path),
    ...(actions.length === 0 ? [required(at)] : []),
    ...repeated(actions, at, (action) => ({ value: action })),
    ...(actions.includes('Deny') && actions.includes('Warn')
      ? [forbidden(at, 'must not contain both Deny and Warn')]
      : []),
  ];
}

export const validatingAdmissionPolicies = defineResource<ValidatingAdmissionPolicy>({
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  categories: ['api-extensions'],
  namespaced: false,
  versions: versionsOf('ValidatingAdmissionPolicy'),
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate,
  },
  subresources: [conditionsSubresource<ValidatingAdmissionPolicy>()],
  columns: policyColumns({ name: 'Validations', field: 'validations', description: 'How many rules.' }),
});

export const validatingAdmissionPolicyBindings = defineResource<ValidatingAdmissionPolicyBinding>({
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  categories: ['api-extensions'],
  namespaced: false,
  versions: versionsOf('ValidatingAdmissionPolicyBinding'),
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    validate: validateActions,
  },
  columns: bindingColumns,
});
