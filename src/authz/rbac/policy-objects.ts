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
  /** False while its binding comes or goes: then it allows nothing. */
  readonly isInForce: boolean;
}

/** A binding, whose grants come into force together. */
export interface Binding {
  isInForce: boolean;
  readonly grants: readonly Grant[];
}

/** Reads a binding, not in force yet, in a step for each subject. Subjects without a name grant nothing. */
export function* readBinding({ metadata, roleRef, subjects }: JsonObject): Generator<void, Binding, void> {
  const { name, namespace } = isObject(metadata) ? metadata : {};
  const binding = new BindingOfRole(
    text(name),
    text(namespace),
    readRoleRef(isObject(roleRef) ? roleRef : {}),
  );
  if (!isObject(roleRef) || !Array.isArray(subjects)) return binding;
  // A repeated subject gets the role once.
  const distinct = new Map<string, Grant>();
  for (const subject of subjects) {
    yield;
    const grant = isObject(subject) ? grantOf(binding, subject) : undefined;
    if (grant) distinct.set(`${grant.type} ${grant.subject}`, grant);
  }
  binding.grants = [...distinct.values()];
  return binding;
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
class BindingOfRole implements Binding {
  isInForce = false;
  grants: readonly Grant[] = [];
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
  readonly #binding: BindingOfRole;
  /** Name and namespace of a service account; '' for other subjects. */
  readonly #account: string;

  constructor(binding: BindingOfRole, type: 'User' | 'Group', subject: string, account = '') {
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

  get isInForce(): boolean {
    return this.#binding.isInForce;
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

function grantOf(binding: BindingOfRole, subject: JsonObject): Grant | undefined {
  const [kind, name] = [text(subject['kind']), text(subject['name'])];
  if (kind === 'User' || kind === 'Group') return new GrantOfBinding(binding, kind, name);
  const home = text(subject['namespace']) || binding.namespace;
  if (kind !== 'ServiceAccount' || home === '') return undefined;
  return new GrantOfBinding(binding, 'User', `system:serviceaccount:${home}:${name}`, `${name}/${home}`);
}

function bindingText({ name, namespace }: BindingOfRole): string {
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
