/** Roles and bindings as the index holds them: parsed once from the stored objects. */
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { CollectionId, ObjectKey } from '../../storage/types.ts';

export const policyPlurals = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'] as const;

/** The resources that policy is made of. */
export type PolicyPlural = (typeof policyPlurals)[number];

/** The API group of roles and bindings. */
export function rbacGroup(naming: NamingProfile): string {
  return `rbac.authorization.${naming.apiDomain}`;
}

/** The collections of policy in the API group of roles. */
export function policyCollections(group: string): CollectionId[] {
  return policyPlurals.map((plural) => `${group}/${plural}`);
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

/** The grants of a binding. Subjects without a name grant nothing. */
export function grantsOf({ metadata, roleRef, subjects }: JsonObject): Grant[] {
  if (!isObject(roleRef) || !Array.isArray(subjects)) return [];
  const { name, namespace } = isObject(metadata) ? metadata : {};
  const binding = new BindingHead(text(name), text(namespace), readRoleRef(roleRef));
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

/** What all grants of a binding share: policy may have a million of them. */
class BindingHead {
  readonly name: string;
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly roleKey: ObjectKey;

  constructor(name: string, namespace: string, roleRef: RoleRef) {
    this.name = name;
    this.namespace = namespace;
    this.roleRef = roleRef;
    this.roleKey = roleKey(roleRef, namespace);
  }
}

class GrantOfBinding implements Grant {
  readonly type: 'User' | 'Group';
  readonly subject: string;
  readonly #binding: BindingHead;
  /** Name and namespace of a service account; '' for other subjects. */
  readonly #account: string;

  constructor(binding: BindingHead, type: 'User' | 'Group', subject: string, account = '') {
    this.type = type;
    this.subject = subject;
    this.#binding = binding;
    this.#account = account;
  }

  get namespace(): string {
    return this.#binding.namespace;
  }

  get roleRef(): RoleRef {
    return this.#binding.roleRef;
  }

  get roleKey(): ObjectKey {
    return this.#binding.roleKey;
  }

  get reason(): string {
    const { kind, name } = this.roleRef;
    const subject =
      this.#account === ''
        ? `${this.type} ${quoted(this.subject)}`
        : `ServiceAccount ${quoted(this.#account)}`;
    return `RBAC: allowed by ${bindingText(this.#binding)} of ${kind} ${quoted(name)} to ${subject}`;
  }
}

function grantOf(binding: BindingHead, subject: JsonObject): Grant[] {
  const [kind, name] = [text(subject['kind']), text(subject['name'])];
  if (kind === 'User' || kind === 'Group') return [new GrantOfBinding(binding, kind, name)];
  const home = text(subject['namespace']) || binding.namespace;
  if (kind !== 'ServiceAccount' || home === '') return [];
  return [new GrantOfBinding(binding, 'User', `system:serviceaccount:${home}:${name}`, `${name}/${home}`)];
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
