/** MutatingAdmissionPolicy and its bindings: changes of requests, in CEL. */
import { policyEnvironment } from '../../cel/admission/environment.ts';
import { mutationTypes } from '../../cel/admission/patch-types.ts';
import { VariableTypes } from '../../cel/admission/variables.ts';
import { boolType, dynType, type CelType } from '../../cel/language/types.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { defineResource, type Stored } from '../define.ts';
import type { ApiContext, ResourceVersionDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, given, need, same, type Maybe } from '../validation/rules.ts';
import { ExpressionRules, type EnvironmentOf } from './expression-rules.ts';
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

/** The expressions of a policy. */
function textsOf({ spec = {} }: MutatingAdmissionPolicy): ReadonlySet<string> {
  const texts = [
    ...(spec.matchConditions ?? []).map(({ expression }) => expression),
    ...(spec.variables ?? []).map(({ expression }) => expression),
    ...(spec.mutations ?? []).flatMap(({ applyConfiguration, jsonPatch }) => [
      applyConfiguration?.expression,
      jsonPatch?.expression,
    ]),
  ];
  return new Set(texts.filter((text) => text !== undefined));
}

function validate(
  policy: MutatingAdmissionPolicy,
  context: ApiContext,
  current?: MutatingAdmissionPolicy,
): FieldError[] {
  const { spec = {} } = policy;
  const { mutations, matchConstraints } = spec;
  const rules = new ExpressionRules(context, current && textsOf(current));
  const hasParams = spec.paramKind != null;
  const types = new VariableTypes();
  const environment =
    (makesPatches: boolean): EnvironmentOf =>
    (minor) =>
      policyEnvironment(minor, { hasParams, variables: types.type, makesPatches });
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
      const { errors, program } = rules.judge(expression, at, { environment: environment(false) });
      types.add(name, program?.type);
      return errors;
    }),
    ...((mutations ?? []).length === 0 ? [required(path.child('mutations'))] : []),
    ...each(mutations, path.child('mutations'), (mutation, at) =>
      validateMutation(mutation, at, (text, p, type) =>
        rules.errors(text, p, { environment: environment(true), results: [type] }),
      ),
    ),
    ...need(spec.reinvocationPolicy, path.child('reinvocationPolicy')),
  ];
}

const unions = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;

/** The field that the type names is set, the other is not. */
function validateMutation(
  mutation: Mutation,
  at: FieldPath,
  judge: (text: Maybe<string>, at: FieldPath, type: CelType) => FieldError[],
): FieldError[] {
  const { patchType = '' } = mutation;
  return [
    ...need(patchType, at.child('patchType')),
    ...Object.entries(unions).flatMap(([type, field]) => {
      const change = mutation[field];
      const p = at.child(field);
      if (type !== patchType)
        return change == null ? [] : [forbidden(p, `may only be set when patchType is ${type}`)];
      const result = mutationTypes.get(type) ?? dynType;
      return change == null ? [required(p)] : judge(change.expression, p.child('expression'), result);
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
    validate: (policy, context) => validate(policy, context),
    validateUpdate: (next, current, context) => validate(next, context, current),
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
