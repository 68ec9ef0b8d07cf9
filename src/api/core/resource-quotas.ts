/** ResourceQuota: how much of what a namespace may use. */
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, inReleases, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import { nameIsDns1123Subdomain, qualifiedName } from '../validation/name-rules.ts';
import { isWhole, quantity } from '../validation/quantities.ts';
import type { Maybe } from '../validation/rules.ts';
import { each, eachEntry, invalidEach, own } from '../validation/rules.ts';
import type {
  ResourceQuota as ResourceQuotaFields,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from './v1.types.ts';

type ResourceQuota = Stored<ResourceQuotaFields>;

const path = FieldPath.of('spec');
const compute = ['cpu', 'memory', 'ephemeral-storage'];
/** Things that are counted, not measured. */
const counted = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const standard = new Set([
  ...counted,
  ...compute,
  'storage',
  'requests.storage',
  ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
const bestEffortResources = ['pods'];
const crossNamespace = 'CrossNamespacePodAffinity';
const podScopes = ['Terminating', 'NotTerminating', 'NotBestEffort', 'PriorityClass', crossNamespace];

function validateName(name: string, at: FieldPath): FieldError[] {
  const isKnown = name.includes('/') || standard.has(name) || /^(requests\.)?hugepages-/.test(name);
  return [
    ...invalidEach(name, at, qualifiedName(name)),
    ...(isKnown ? [] : [invalid(at, name, 'must be a standard resource for quota')]),
  ];
}

function validateAmounts(amounts: Maybe<Readonly<Record<string, string>>>, at: FieldPath): FieldError[] {
  return eachEntry(amounts, at, (name, amount, p) => {
    const errors = [...validateName(name, p), ...quantity(amount, p)];
    const isInteger = counted.includes(name) || name.startsWith('count/');
    return isInteger && !isWhole(amount) ? [...errors, invalid(p, amount, 'must be an integer')] : errors;
  });
}

function validate({ spec }: ResourceQuota, context: ApiContext): FieldError[] {
  return [
    ...(context.isFeatureEnabled('PodAffinityNamespaceSelector') ? [] : withoutCrossNamespace(spec ?? {})),
    ...validateAmounts(spec?.hard, path.child('hard')),
    ...validateScopes(spec ?? {}, path.child('scopes')),
    ...each(
      spec?.scopeSelector?.matchExpressions,
      path.child('scopeSelector').child('matchExpressions'),
      validateExpression,
    ),
  ];
}

/** The scope that is there only with its gate. */
function withoutCrossNamespace({ scopes, scopeSelector }: ResourceQuotaSpec): FieldError[] {
  const refused = (at: FieldPath, scope: string | undefined): FieldError[] =>
    scope === crossNamespace
      ? [invalid(at, scope, 'needs the feature gate PodAffinityNamespaceSelector')]
      : [];
  const selected = path.child('scopeSelector').child('matchExpressions');
  return [
    ...each(scopes, path.child('scopes'), (scope, at) => refused(at, scope)),
    ...each(scopeSelector?.matchExpressions, selected, ({ scopeName }, at) =>
      refused(at.child('scopeName'), scopeName),
    ),
  ];
}

/** Scopes that exclude each other, and resources that a scope cannot hold. */
function validateScopes(spec: ResourceQuotaSpec, at: FieldPath): FieldError[] {
  const scopes = spec.scopes ?? [];
  const hard = Object.keys(spec.hard ?? {});
  const clash = (a: string, b: string): boolean => scopes.includes(a) && scopes.includes(b);
  const isOnlyPods = hard.every((name) => bestEffortResources.includes(name));
  const isOnlyCompute = hard.every(isOfPods);
  const isMisplaced = (scope: string): boolean =>
    scope === 'BestEffort' ? !isOnlyPods : !isOnlyCompute && podScopes.includes(scope);
  return [
    ...errorsOf(scopes, (scope) =>
      isMisplaced(scope) ? [invalid(at, scopes, `unsupported scope applied to resource: ${scope}`)] : [],
    ),
    ...(clash('BestEffort', 'NotBestEffort') || clash('Terminating', 'NotTerminating')
      ? [invalid(at, scopes, 'conflicting scopes')]
      : []),
  ];
}

/** Pods themselves, and their requests and limits. */
function isOfPods(name: string): boolean {
  return name === 'pods' || compute.includes(name.replace(/^(requests|limits)\./, ''));
}

function validateExpression(
  { operator, values, scopeName }: ScopedResourceSelectorRequirement,
  at: FieldPath,
): FieldError[] {
  const count = (values ?? []).length;
  const takesValues = operator === 'In' || operator === 'NotIn';
  const isPriority = scopeName === 'PriorityClass';
  return [
    ...(!isPriority && operator !== 'Exists'
      ? [invalid(at.child('operator'), operator ?? '', "must be 'Exists' for this scope")]
      : []),
    ...(takesValues && count === 0
      ? [
          required(
            at.child('values'),
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
          ),
        ]
      : []),
    ...(!takesValues && count > 0
      ? [
          invalid(
            at.child('values'),
            values,
            "must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector",
          ),
        ]
      : []),
  ];
}

function validateUpdate(next: ResourceQuota, current: ResourceQuota): FieldError[] {
  const to = [...(next.spec?.scopes ?? [])].sort();
  const from = [...(current.spec?.scopes ?? [])].sort();
  return to.join() === from.join()
    ? []
    : [invalid(path.child('scopes'), next.spec?.scopes ?? [], 'field is immutable')];
}

function validateStatus({ status }: ResourceQuota): FieldError[] {
  const at = FieldPath.of('status');
  return [
    ...validateAmounts(status?.hard, at.child('hard')),
    ...validateAmounts(status?.used, at.child('used')),
  ];
}

function usage({ status }: ResourceQuota, isWanted: (name: string) => boolean): string {
  return Object.entries(status?.hard ?? {})
    .filter(([name]) => isWanted(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${own(status?.used, name) ?? '0'}/${hard}`)
    .join(', ');
}

export const resourceQuotas = defineResource<ResourceQuota>({
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  namespaced: true,
  versions: [{ version: 'v1' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate,
    validateUpdate,
    deleteReturns: 'object',
  },
  subresources: [statusSubresource<ResourceQuota>({ validateUpdate: validateStatus })],
  columns: [
    nameColumn,
    inReleases(ageColumn, { until: '1.34' }),
    column<ResourceQuota>('Request', (quota) => usage(quota, (name) => !name.startsWith('limits.')), {
      description: 'Used and allowed amounts.',
    }),
    column<ResourceQuota>('Limit', (quota) => usage(quota, (name) => name.startsWith('limits.')), {
      description: 'Used and allowed limits.',
    }),
    // Its place changed in or before 1.34, the first release whose order is known.
    inReleases(ageColumn, { since: '1.34' }),
  ],
});
