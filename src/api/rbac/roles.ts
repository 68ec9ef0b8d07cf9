/** Role and ClusterRole: sets of permissions, in one namespace or everywhere. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { createdAtColumn, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import { nameIsPathSegment } from '../validation/name-rules.ts';
import { each, given } from '../validation/rules.ts';
import type { ClusterRole as ClusterRoleFields, PolicyRule, Role as RoleFields } from './v1.types.ts';

type Role = Stored<RoleFields>;
type ClusterRole = Stored<ClusterRoleFields>;

const path = FieldPath.of('rules');

function hasAny(list: readonly string[] | null | undefined): boolean {
  return (list ?? []).length > 0;
}

/** A rule speaks of resources or of paths; paths belong to no namespace. */
function validateRule(rule: PolicyRule, at: FieldPath, isNamespaced: boolean): FieldError[] {
  const verbs = hasAny(rule.verbs)
    ? []
    : [required(at.child('verbs'), 'verbs must contain at least one value')];
  if (!hasAny(rule.nonResourceURLs)) return [...verbs, ...resourceErrors(rule, at)];
  const paths = at.child('nonResourceURLs');
  const isMixed = hasAny(rule.apiGroups) || hasAny(rule.resources) || hasAny(rule.resourceNames);
  return [
    ...verbs,
    ...(isNamespaced
      ? [invalid(paths, rule.nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs')]
      : []),
    ...(isMixed
      ? [
          invalid(
            paths,
            rule.nonResourceURLs,
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        ]
      : []),
  ];
}

function resourceErrors(rule: PolicyRule, at: FieldPath): FieldError[] {
  return [
    ...(hasAny(rule.apiGroups)
      ? []
      : [required(at.child('apiGroups'), 'resource rules must supply at least one api group')]),
    ...(hasAny(rule.resources)
      ? []
      : [required(at.child('resources'), 'resource rules must supply at least one resource')]),
  ];
}

function validateClusterRole({ rules, aggregationRule }: ClusterRole): FieldError[] {
  const at = FieldPath.of('aggregationRule').child('clusterRoleSelectors');
  return [
    ...each(rules, path, (rule, p) => validateRule(rule, p, false)),
    ...given(aggregationRule, at, (aggregation) => [
      ...((aggregation.clusterRoleSelectors ?? []).length === 0
        ? [required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
        : []),
      ...each(aggregation.clusterRoleSelectors, at, validateLabelSelector),
    ]),
  ];
}

function versions(kind: string) {
  const replacement = `rbac.authorization.{api}/v1 ${kind}`;
  return [
    { version: 'v1' },
    { version: 'v1beta1', deprecatedIn: '1.17', removedIn: '1.22', replacement },
    { version: 'v1alpha1', removedIn: '1.23' },
  ];
}

export const roles = defineResource<Role>({
  kind: 'Role',
  plural: 'roles',
  namespaced: true,
  versions: versions('Role'),
  validateName: nameIsPathSegment,
  strategy: {
    createOnUpdate: true,
    validate: ({ rules }) => each(rules, path, (rule, at) => validateRule(rule, at, true)),
  },
  columns: [nameColumn, createdAtColumn],
});

export const clusterRoles = defineResource<ClusterRole>({
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  versions: versions('ClusterRole'),
  validateName: nameIsPathSegment,
  strategy: { createOnUpdate: true, validate: validateClusterRole },
  columns: [nameColumn, createdAtColumn],
});
