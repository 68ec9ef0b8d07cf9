/** Roles and bindings as the index holds them: parsed once from the stored objects. */
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { decodeStored } from '../../codec/stored.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { Entry, ObjectKey } from '../../storage/types.ts';
import { readRules, type PolicyRule } from './policy-rule.ts';

export const policyPlurals = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'] as const;

/** The resources that policy is made of. */
export type PolicyPlural = (typeof policyPlurals)[number];

/** The API group of roles and bindings. */
export function rbacGroup(naming: NamingProfile): string {
  return `rbac.authorization.${naming.apiDomain}`;
}

/** `Role` in the namespace of its binding, or `ClusterRole`. */
export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/** One subject of a binding: what it gives to whom, and why, in the words of the audit trail. */
export interface Grant {
  readonly type: 'User' | 'Group';
  /** User name (of a service account its full one) or group. */
  readonly subject: string;
  /** '' in the whole cluster. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  /** Key of that role. */
  readonly roleKey: ObjectKey;
  readonly reason: string;
}

/** The rules of a stored role. */
export function rulesOf(entry: Entry): PolicyRule[] {
  return readRules(decodeStored(entry.bytes)['rules']);
}

/** The grants of a stored binding. Subjects without a name grant nothing. */
export function grantsOf(entry: Entry): Grant[] {
  const { metadata, roleRef, subjects } = decodeStored(entry.bytes);
  if (!isObject(roleRef) || !Array.isArray(subjects)) return [];
  const { name, namespace } = isObject(metadata) ? metadata : {};
  const binding = { name: text(name), namespace: text(namespace), roleRef: readRoleRef(roleRef) };
  const grants = subjects.filter(isObject).flatMap((subject) => grantOf(binding, subject));
  // A repeated subject gets the role once.
  return [...new Map(grants.map((grant) => [`${grant.type} ${grant.subject}`, grant])).values()];
}

/** The role that a binding names. */
export function readRoleRef({ kind, name }: JsonObject): RoleRef {
  return { kind: text(kind), name: text(name) };
}

/** Key of a role that a binding in this namespace ('' for the cluster) names. */
export function roleKey({ kind, name }: RoleRef, namespace: string): ObjectKey {
  return kind === 'ClusterRole' ? name : `${namespace}/${name}`;
}

interface BindingHead {
  readonly name: string;
  readonly namespace: string;
  readonly roleRef: RoleRef;
}

function grantOf(binding: BindingHead, subject: JsonObject): Grant[] {
  const { namespace, roleRef } = binding;
  const [kind, name] = [text(subject['kind']), text(subject['name'])];
  const reason = (shown: string): string =>
    `RBAC: allowed by ${bindingText(binding)} of ${roleRef.kind} ${quoted(roleRef.name)} to ${kind} ${quoted(shown)}`;
  const given = { namespace, roleRef, roleKey: roleKey(roleRef, namespace) };
  if (kind === 'User' || kind === 'Group')
    return [{ ...given, type: kind, subject: name, reason: reason(name) }];
  const home = text(subject['namespace']) || namespace;
  if (kind !== 'ServiceAccount' || home === '') return [];
  const account = `system:serviceaccount:${home}:${name}`;
  return [{ ...given, type: 'User', subject: account, reason: reason(`${name}/${home}`) }];
}

function bindingText({ name, namespace }: BindingHead): string {
  return namespace === ''
    ? `ClusterRoleBinding ${quoted(name)}`
    : `RoleBinding ${quoted(`${name}/${namespace}`)}`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
