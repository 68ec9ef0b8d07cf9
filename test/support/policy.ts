/** Roles and bindings for tests of RBAC: as objects, as stored entries, and in an index. */
import { PolicyIndex } from '../../src/authz/rbac/policy-index.ts';
import type { PolicyPlural } from '../../src/authz/rbac/policy-objects.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { encodeStored } from '../../src/codec/stored.ts';
import type { RequestInfo } from '../../src/meta/request-info.ts';
import type { UserInfo } from '../../src/meta/user.ts';
import type { Entry } from '../../src/storage/types.ts';

export const rbacGroup = 'rbac.authorization.orch.io';

export function user(name: string, ...groups: string[]): UserInfo {
  return { name, uid: '', groups, extra: {} };
}

/** `list pods`, `get pods/log in web named a`, `create deployments.apps in web`, `get /metrics`. */
export function asked(text: string): RequestInfo {
  const [verb = '', target = '', ...rest] = text.split(' ');
  const after = (word: string): string => (rest.includes(word) ? (rest[rest.indexOf(word) + 1] ?? '') : '');
  const isResourceRequest = !target.startsWith('/');
  const [whole = '', subresource = ''] = isResourceRequest ? target.split('/') : [];
  const [resource = '', ...group] = whole.split('.');
  return {
    isResourceRequest,
    ...{ verb, resource, subresource },
    path: isResourceRequest ? '' : target,
    apiPrefix: '',
    apiGroup: group.join('.'),
    apiVersion: 'v1',
    namespace: after('in'),
    name: after('named'),
    parts: [],
  };
}

export function entryOf(plural: PolicyPlural, object: JsonObject): Entry {
  const { name = '', namespace } = object['metadata'] as { name?: string; namespace?: string };
  return {
    collection: `${rbacGroup}/${plural}`,
    key: namespace === undefined ? name : `${namespace}/${name}`,
    modRevision: 1,
    bytes: encodeStored(object),
    memo: undefined,
  };
}

const kinds = {
  roles: 'Role',
  clusterroles: 'ClusterRole',
  rolebindings: 'RoleBinding',
  clusterrolebindings: 'ClusterRoleBinding',
} as const;

/** `where` is `name`, or `namespace/name`. */
export function policyObject(plural: PolicyPlural, where: string, body: JsonObject): JsonObject {
  const [name = '', namespace] = where.split('/').reverse();
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return { apiVersion: `${rbacGroup}/v1`, kind: kinds[plural], metadata, ...body };
}

/** `pods,pods/log get,list` in groups: one rule of a role. */
export function ruleOf(verbs: string, resources: string, groups = '', names = ''): JsonObject {
  return {
    apiGroups: groups.split(','),
    resources: resources.split(','),
    verbs: verbs.split(','),
    ...(names !== '' && { resourceNames: names.split(',') }),
  };
}

/** A subject from `User ann`, `Group devs`, `ServiceAccount web/default`. */
export function subjectOf(text: string): JsonObject {
  const [kind = '', name = ''] = text.split(' ');
  if (kind !== 'ServiceAccount') return { apiGroup: rbacGroup, kind, name };
  const [namespace = '', account = ''] = name.split('/');
  return { kind, name: account, namespace };
}

/** `role` is `ClusterRole name` or `Role name`. */
export function bindingOf(role: string, ...subjects: string[]): JsonObject {
  const [kind = '', name = ''] = role.split(' ');
  return { roleRef: { apiGroup: rbacGroup, kind, name }, subjects: subjects.map(subjectOf) };
}

/** An index that is filled by hand. */
export class TestPolicy {
  readonly index = new PolicyIndex();

  put(plural: PolicyPlural, where: string, body: JsonObject): this {
    this.index.put(plural, entryOf(plural, policyObject(plural, where, body)));
    return this;
  }
}
