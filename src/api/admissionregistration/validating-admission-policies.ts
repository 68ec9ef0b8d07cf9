/** ValidatingAdmissionPolicy and its bindings: rules in CEL that requests must meet. */
import { policyEnvironment } from '../../cel/admission/environment.ts';
import { VariableTypes } from '../../cel/admission/variables.ts';
import type { Environment } from '../../cel/check/environment.ts';
import { boolType, nullType, stringType } from '../../cel/language/types.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { defineResource, dropStatus, keepStatus, type Stored } from '../define.ts';
import { conditionsSubresource } from '../status-conditions.ts';
import type { ApiContext, ResourceVersionDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, given, need, repeated, same } from '../validation/rules.ts';
import { ExpressionRules } from './expression-rules.ts';
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

/** The expressions of a policy. */
function textsOf({ spec = {} }: ValidatingAdmissionPolicy): ReadonlySet<string> {
  const texts = [
    ...(spec.matchConditions ?? []).map(({ expression }) => expression),
    ...(spec.variables ?? []).map(({ expression }) => expression),
    ...(spec.validations ?? []).flatMap(({ expression, messageExpression }) => [
      expression,
      messageExpression,
    ]),
    ...(spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression),
  ];
  return new Set(texts.filter((text) => text !== undefined));
}

const ofAnnotations = [stringType, nullType];

function validate(
  policy: ValidatingAdmissionPolicy,
  context: ApiContext,
  current?: ValidatingAdmissionPolicy,
): FieldError[] {
  const { spec = {} } = policy;
  const rules = new ExpressionRules(context, current && textsOf(current));
  const hasParams = spec.paramKind != null;
  const types = new VariableTypes();
  const environment = (minor: number): Environment =>
    policyEnvironment(minor, { hasParams, variables: types.type });
  // Messages have no authorizer.
  const ofMessages = (minor: number): Environment =>
    policyEnvironment(minor, { hasParams, variables: types.type, hasAuthorizer: false });
  const { validations, auditAnnotations, matchConstraints } = spec;
  const isEmpty = (validations ?? []).length === 0 && (auditAnnotations ?? []).length === 0;
  return [
    ...given(spec.paramKind, path.child('paramKind'), validateParamKind),
    ...(matchConstraints == null
      ? [required(path.child('matchConstraints'))]
      : validateMatchResources(matchConstraints, path.child('matchConstraints'), { needsRules: true })),
    ...validateMatchConditions(spec.matchConditions, path.child('matchConditions'), (text, at) =>
      rules.errors(text, at, {
        environment: (minor) => policyEnvironment(minor, { hasParams }),
        results: [boolType],
      }),
    ),
    ...validateVariables(spec.variables, path.child('variables'), ({ name = '', expression }, at) => {
      const { errors, program } = rules.judge(expression, at, { environment });
      types.add(name, program?.type);
      return errors;
    }),
    ...(isEmpty
      ? [required(path.child('validations'), 'validations or auditAnnotations must be specified')]
      : []),
    ...each(validations, path.child('validations'), (validation, at) => [
      ...rules.errors(validation.expression, at.child('expression'), { environment, results: [boolType] }),
      ...validateMessage(validation, at),
      ...given(validation.messageExpression || undefined, at.child('messageExpression'), (text, p) =>
        rules.errors(text, p, { environment: ofMessages, results: [stringType] }),
      ),
    ]),
    ...each(auditAnnotations, path.child('auditAnnotations'), ({ key, valueExpression }, at) => [
      ...need(key, at.child('key')),
      ...rules.errors(valueExpression, at.child('valueExpression'), { environment, results: ofAnnotations }),
    ]),
    ...repeated(auditAnnotations, path.child('auditAnnotations'), ({ key }) => ({ value: key, at: 'key' })),
  ];
}

function validateMessage({ message }: Validation, at: FieldPath): FieldError[] {
  return (message ?? '').includes('\n')
    ? [forbidden(at.child('message'), 'must not contain line breaks')]
    : [];
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
    validate: (policy, context) => validate(policy, context),
    validateUpdate: (next, current, context) => validate(next, context, current),
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
