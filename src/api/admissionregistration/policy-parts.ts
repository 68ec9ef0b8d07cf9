/** What validating and mutating policies and their bindings have in common. */
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, forbidden, invalid, required, tooMany } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { selectorText } from '../selector-text.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ColumnDefinition } from '../types.ts';
import { cIdentifierName, qualifiedName } from '../validation/name-rules.ts';
import { each, given, need, obeys, type Maybe, type Rule } from '../validation/rules.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import type { MatchCondition, MatchResources, ParamKind, ParamRef, Variable } from './v1.types.ts';

const maxMatchConditions = 64;
const maxVariables = 200;

/** Group version and kind, both or neither. */
export function validateParamKind({ apiVersion, kind }: ParamKind, at: FieldPath): FieldError[] {
  return [
    ...need(apiVersion, at.child('apiVersion'), (text, p) =>
      /^([^/]+\/)?v[0-9][a-z0-9]*$/.test(text) ? [] : [invalid(p, text, 'must be <group>/<version> or v1')],
    ),
    ...need(kind, at.child('kind')),
  ];
}

/** Which requests; a policy needs at least one rule. */
export function validateMatchResources(
  match: MatchResources,
  at: FieldPath,
  { needsRules }: { readonly needsRules: boolean },
): FieldError[] {
  const rules = at.child('resourceRules');
  return [
    ...validateLabelSelector(match.namespaceSelector, at.child('namespaceSelector')),
    ...validateLabelSelector(match.objectSelector, at.child('objectSelector')),
    ...(needsRules && (match.resourceRules ?? []).length === 0 ? [required(rules)] : []),
    ...each(match.resourceRules, rules, validateRule),
    ...each(match.excludeResourceRules, at.child('excludeResourceRules'), validateRule),
  ];
}

type NamedRule = NonNullable<MatchResources['resourceRules']>[number];

function validateRule(rule: NamedRule, at: FieldPath): FieldError[] {
  const lists = ['operations', 'apiGroups', 'apiVersions', 'resources'] as const;
  const missing = lists
    .filter((name) => (rule[name] ?? []).length === 0)
    .map((name) => required(at.child(name)));
  const mixed = (['apiGroups', 'apiVersions', 'operations'] as const)
    .filter((name) => (rule[name] ?? []).includes('*') && (rule[name] ?? []).length > 1)
    .map((name) => invalid(at.child(name), rule[name], "if '*' is present, must not specify others"));
  return [...missing, ...mixed, ...repeatedTexts(rule.resourceNames, at.child('resourceNames'))];
}

function repeatedTexts(texts: Maybe<readonly string[]>, at: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return each(texts, at, (text, p) => {
    if (seen.has(text)) return [duplicate(p, text)];
    seen.add(text);
    return [];
  });
}

/** Names are qualified and unique, expressions compile where they are judged. */
export function validateMatchConditions(
  conditions: Maybe<readonly MatchCondition[]>,
  at: FieldPath,
  judge: Rule<Maybe<string>>,
): FieldError[] {
  const names = new Set<string>();
  const tooMany = (conditions ?? []).length > maxMatchConditions;
  return [
    ...(tooMany
      ? [invalid(at, (conditions ?? []).length, `must have at most ${String(maxMatchConditions)} items`)]
      : []),
    ...each(conditions, at, ({ name = '', expression }, p) => {
      const repeated = names.has(name) ? [duplicate(p.child('name'), name)] : [];
      names.add(name);
      return [
        ...need(name, p.child('name'), obeys(qualifiedName)),
        ...repeated,
        ...judge(expression, p.child('expression')),
      ];
    }),
  ];
}

/** Names are identifiers of the expression language, each used once; a chain of them is evaluated in one go, which bounds them. */
export function validateVariables(
  variables: Maybe<readonly Variable[]>,
  at: FieldPath,
  judge: Rule<Variable>,
): FieldError[] {
  const count = (variables ?? []).length;
  if (count > maxVariables) return [tooMany(at, count, maxVariables)];
  const names = new Set<string>();
  return each(variables, at, (variable, p) => {
    const { name = '' } = variable;
    const repeated = names.has(name) ? [duplicate(p.child('name'), name)] : [];
    names.add(name);
    return [
      ...need(name, p.child('name'), obeys(cIdentifierName)),
      ...repeated,
      ...judge(variable, p.child('expression')),
    ];
  });
}

/** Exactly one of name and selector, and what happens without a parameter. */
export function validateParamRef(reference: ParamRef, at: FieldPath): FieldError[] {
  const { name = '', selector, parameterNotFoundAction } = reference;
  const problem =
    name !== '' && selector != null
      ? [forbidden(at.child('name'), 'name and selector are mutually exclusive')]
      : name === '' && selector == null
        ? [required(at, 'one of name or selector must be specified')]
        : [];
  return [
    ...problem,
    ...validateLabelSelector(selector, at.child('selector')),
    ...need(parameterNotFoundAction, at.child('parameterNotFoundAction')),
  ];
}

/** What both kinds of bindings demand. */
export function validateBinding(
  spec: {
    readonly policyName?: string | undefined;
    readonly paramRef?: ParamRef | null | undefined;
    readonly matchResources?: MatchResources | null | undefined;
  },
  at: FieldPath,
): FieldError[] {
  return [
    ...need(spec.policyName, at.child('policyName')),
    ...given(spec.paramRef, at.child('paramRef'), validateParamRef),
    ...given(spec.matchResources, at.child('matchResources'), (match, p) =>
      validateMatchResources(match, p, { needsRules: false }),
    ),
  ];
}

type Policy = ApiObject & { spec?: { paramKind?: ParamKind | null | undefined } };

/** Columns of a policy; `counted` is what there is a number of. */
export function policyColumns(counted: {
  readonly name: string;
  readonly field: string;
  readonly description: string;
}): readonly ColumnDefinition[] {
  const count = (object: ApiObject): number => {
    const list = (object['spec'] as Record<string, unknown> | undefined)?.[counted.field];
    return Array.isArray(list) ? list.length : 0;
  };
  return [
    nameColumn,
    column(counted.name, count, { type: 'integer', description: counted.description }),
    column<Policy>('ParamKind', ({ spec }) => paramKindText(spec?.paramKind), {
      description: 'Kind of the parameters.',
    }),
    ageColumn,
  ];
}

function paramKindText(kind: Maybe<ParamKind>): string {
  return kind ? `${kind.apiVersion ?? ''}/${kind.kind ?? ''}` : '<unset>';
}

type Binding = ApiObject & { spec?: { policyName?: string; paramRef?: ParamRef | null } };

/** Columns of a binding. */
export const bindingColumns: readonly ColumnDefinition[] = [
  nameColumn,
  column<Binding>('PolicyName', ({ spec }) => spec?.policyName, { description: 'Name of the policy.' }),
  column<Binding>('ParamRef', ({ spec }) => paramRefText(spec?.paramRef), {
    description: 'Which objects are the parameters.',
  }),
  ageColumn,
];

function paramRefText(reference: Maybe<ParamRef>): string {
  const { name = '', namespace = '', selector } = reference ?? {};
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`;
  return selector ? selectorText(selector) : '<unset>';
}
