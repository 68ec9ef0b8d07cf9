/** FlowSchema: which requests belong to which priority level. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus } from '../define.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDns1123Subdomain,
  nameIsPathSegment,
} from '../validation/name-rules.ts';
import type { Maybe } from '../validation/rules.ts';
import { between, each, given, need, obeys, same } from '../validation/rules.ts';
import { conditionsSubresource } from '../status-conditions.ts';
import { exempt, mandatoryErrors, mandatorySchemas } from './mandatory.ts';
import type {
  FlowSchema as FlowSchemaFields,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from './v1beta1.types.ts';
import { versionsOf } from './versions.ts';

type FlowSchema = Stored<FlowSchemaFields>;

const path = FieldPath.of('spec');
const precedence = between(1, 10_000);
const all = '*';
const pathVerbs = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put', '*'];
const unions = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' } as const;

function validate({ metadata, spec = {} }: FlowSchema): FieldError[] {
  const name = metadata.name ?? '';
  const at = path.child('matchingPrecedence');
  const rank = spec.matchingPrecedence ?? 0;
  return [
    ...precedence(rank, at),
    ...(rank === 1 && name !== exempt
      ? [invalid(at, rank, "only the schema named 'exempt' may have matchingPrecedence 1")]
      : []),
    ...need(
      spec.priorityLevelConfiguration?.name,
      path.child('priorityLevelConfiguration').child('name'),
      obeys((text) => nameIsDns1123Subdomain(text, false)),
    ),
    ...given(spec.distinguisherMethod, path.child('distinguisherMethod'), ({ type }, p) =>
      need(type, p.child('type')),
    ),
    ...each(spec.rules, path.child('rules'), validateRules),
    ...mandatoryErrors(mandatorySchemas, name, spec),
  ];
}

function validateRules(rules: PolicyRulesWithSubjects, at: FieldPath): FieldError[] {
  const { subjects, resourceRules, nonResourceRules } = rules;
  const isEmpty = (resourceRules ?? []).length === 0 && (nonResourceRules ?? []).length === 0;
  return [
    ...((subjects ?? []).length === 0
      ? [required(at.child('subjects'), 'subjects must contain at least one value')]
      : []),
    ...each(subjects, at.child('subjects'), validateSubject),
    ...(isEmpty
      ? [required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...each(resourceRules, at.child('resourceRules'), validateResourceRule),
    ...each(nonResourceRules, at.child('nonResourceRules'), validatePathRule),
  ];
}

/** A subject has the member of its kind, and no other. */
function validateSubject(subject: Subject, at: FieldPath): FieldError[] {
  const expected = Object.entries(unions).find(([kind]) => kind === subject.kind)?.[1];
  if (expected === undefined) return need(subject.kind, at.child('kind'));
  const others = Object.values(unions).filter((field) => field !== expected && subject[field] != null);
  const wrong = others.map((field) =>
    forbidden(at.child(field), `${field} is forbidden when subject kind is not its own`),
  );
  if (subject[expected] == null) return [...wrong, required(at.child(expected))];
  const p = at.child(expected);
  const account = subject.serviceAccount;
  if (expected !== 'serviceAccount' || account == null)
    return [...wrong, ...need(subject[expected].name, p.child('name'))];
  return [
    ...wrong,
    ...need(account.name, p.child('name'), (name, q) =>
      name === all
        ? []
        : obeys((text) => [...nameIsPathSegment(text, false), ...dns1123Subdomain(text)])(name, q),
    ),
    ...need(account.namespace, p.child('namespace'), obeys(dns1123Label)),
  ];
}

function words(list: Maybe<readonly string[]>, at: FieldPath): FieldError[] {
  const items = list ?? [];
  if (items.length === 0) return [required(at)];
  return items.length > 1 && items.includes(all)
    ? [invalid(at, items, "if '*' is present, must not specify other values")]
    : [];
}

function validateResourceRule(rule: ResourcePolicyRule, at: FieldPath): FieldError[] {
  const namespaces = rule.namespaces ?? [];
  const p = at.child('namespaces');
  return [
    ...words(rule.verbs, at.child('verbs')),
    ...words(rule.apiGroups, at.child('apiGroups')),
    ...words(rule.resources, at.child('resources')),
    ...(namespaces.length === 0 && rule.clusterScope !== true
      ? [required(p, 'resource rules that are not cluster scoped must supply at least one namespace')]
      : []),
    ...(namespaces.length > 1 && namespaces.includes(all)
      ? [invalid(p, namespaces, "if '*' is present, must not specify other values")]
      : each(namespaces, p, (namespace, q) => (namespace === all ? [] : obeys(dns1123Label)(namespace, q)))),
  ];
}

function validatePathRule(rule: NonResourcePolicyRule, at: FieldPath): FieldError[] {
  const verbs = at.child('verbs');
  return [
    ...words(rule.verbs, verbs),
    ...each(rule.verbs, verbs, (verb, p) =>
      pathVerbs.includes(verb) ? [] : [notSupported(p, verb, pathVerbs)],
    ),
    ...words(rule.nonResourceURLs, at.child('nonResourceURLs')),
    ...each(rule.nonResourceURLs, at.child('nonResourceURLs'), urlErrors),
  ];
}

/** A path, or all below one. */
function urlErrors(url: string, at: FieldPath): FieldError[] {
  if (url === all || url === '/') return [];
  if (url === '') return [invalid(at, url, 'nonResourceURL must not be empty')];
  const invalidIf = (isWrong: boolean, message: string): FieldError[] =>
    isWrong ? [invalid(at, url, message)] : [];
  return [
    ...invalidIf(!url.startsWith('/'), "must start with '/'"),
    ...invalidIf(url.includes(' '), 'must not contain white-space'),
    ...invalidIf(url.includes('//'), "must not contain '//'"),
    ...invalidIf(
      url.slice(0, -1).includes(all) || (url.endsWith(all) && !url.endsWith('/*')),
      'the star may only be the last step',
    ),
  ];
}

function dangling({ status }: FlowSchema): string {
  return status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?';
}

export const flowSchemas = defineResource<FlowSchema>({
  kind: 'FlowSchema',
  plural: 'flowschemas',
  namespaced: false,
  versions: versionsOf('FlowSchema'),
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate,
  },
  subresources: [conditionsSubresource<FlowSchema>()],
  columns: [
    nameColumn,
    column<FlowSchema>('PriorityLevel', ({ spec }) => spec?.priorityLevelConfiguration?.name, {
      description: 'Priority level of its requests.',
    }),
    column<FlowSchema>('MatchingPrecedence', ({ spec }) => spec?.matchingPrecedence ?? 0, {
      description: 'The lower, the sooner it is asked.',
    }),
    column<FlowSchema>('DistinguisherMethod', ({ spec }) => spec?.distinguisherMethod?.type ?? '<none>', {
      description: 'What tells its flows apart.',
    }),
    ageColumn,
    column<FlowSchema>('MissingPL', dangling, { description: 'Whether its priority level is missing.' }),
  ],
  rowRank: ({ spec }) => spec?.matchingPrecedence ?? 0,
});
