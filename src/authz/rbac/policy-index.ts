/**
 * Roles and bindings, indexed for the check of every request: what is granted to this user or one of its groups, in the
 * cluster or in this namespace? A watch event updates only the object that it names.
 */
import type { UserInfo } from '../../meta/user.ts';
import type { Entry, ObjectKey } from '../../storage/types.ts';
import { grantsOf, roleKey, rulesOf, type Grant, type PolicyPlural, type RoleRef } from './policy-objects.ts';
import { RoleRules } from './role-rules.ts';

/** The grants of one subject in one scope. A role that is granted several times is checked once. */
class SubjectGrants {
  /** One for each role. */
  readonly distinct: Grant[] = [];
  private readonly byRole = new Map<string, Grant[]>();

  add(grant: Grant): void {
    const same = this.byRole.get(roleOf(grant));
    if (same) same.push(grant);
    else {
      this.byRole.set(roleOf(grant), [grant]);
      this.distinct.push(grant);
    }
  }

  remove(grant: Grant): void {
    const left = (this.byRole.get(roleOf(grant)) ?? []).filter((other) => other !== grant);
    if (left.length > 0) this.byRole.set(roleOf(grant), left);
    else this.byRole.delete(roleOf(grant));
    const at = this.distinct.indexOf(grant);
    if (at >= 0) this.distinct.splice(at, 1, ...left.slice(0, 1));
  }
}

function roleOf({ roleRef, roleKey }: Grant): string {
  return `${roleRef.kind} ${roleKey}`;
}

/** The grants in one namespace, or in the cluster, by who has them. */
class Subjects {
  readonly users = new Map<string, SubjectGrants>();
  readonly groups = new Map<string, SubjectGrants>();

  get isEmpty(): boolean {
    return this.users.size === 0 && this.groups.size === 0;
  }

  add(grant: Grant): void {
    const subjects = this.of(grant);
    let grants = subjects.get(grant.subject);
    if (!grants) subjects.set(grant.subject, (grants = new SubjectGrants()));
    grants.add(grant);
  }

  remove(grant: Grant): void {
    const subjects = this.of(grant);
    const grants = subjects.get(grant.subject);
    grants?.remove(grant);
    if (grants?.distinct.length === 0) subjects.delete(grant.subject);
  }

  private of({ type }: Grant): Map<string, SubjectGrants> {
    return type === 'User' ? this.users : this.groups;
  }
}

/** Called for each grant; true ends the look. */
export type GrantVisitor = (grant: Grant) => boolean;

export class PolicyIndex {
  private readonly roles = {
    clusterroles: new Map<ObjectKey, RoleRules>(),
    roles: new Map<ObjectKey, RoleRules>(),
  };
  /** By namespace, '' for the cluster. */
  private readonly scopes = new Map<string, Subjects>();
  /** What each binding gives, for its end. */
  private readonly bindings = {
    clusterrolebindings: new Map<ObjectKey, Grant[]>(),
    rolebindings: new Map<ObjectKey, Grant[]>(),
  };

  put(plural: PolicyPlural, entry: Entry): void {
    if (plural === 'roles' || plural === 'clusterroles')
      this.roles[plural].set(entry.key, new RoleRules(rulesOf(entry)));
    else this.putBinding(this.bindings[plural], entry);
  }

  remove(plural: PolicyPlural, key: ObjectKey): void {
    if (plural === 'roles' || plural === 'clusterroles') this.roles[plural].delete(key);
    else this.removeBinding(this.bindings[plural], key);
  }

  /** Keys of the objects of a resource that are known. */
  keys(plural: PolicyPlural): Iterable<ObjectKey> {
    const isRole = plural === 'roles' || plural === 'clusterroles';
    return isRole ? this.roles[plural].keys() : this.bindings[plural].keys();
  }

  /** The rules of a role; undefined: there is none. */
  rulesOf(roleRef: RoleRef, namespace: string): RoleRules | undefined {
    return this.rulesUnder(roleRef.kind, roleKey(roleRef, namespace));
  }

  /** The rules that a grant gives. */
  rulesOfGrant({ roleRef, roleKey: key }: Grant): RoleRules | undefined {
    return this.rulesUnder(roleRef.kind, key);
  }

  /** Visits a user's grants in the cluster, then in the namespace ('' for none), until the visitor returns true. */
  visit(user: UserInfo, namespace: string, see: GrantVisitor): boolean {
    return this.visitScope('', user, see) || (namespace !== '' && this.visitScope(namespace, user, see));
  }

  private rulesUnder(kind: string, key: ObjectKey): RoleRules | undefined {
    return this.roles[kind === 'ClusterRole' ? 'clusterroles' : 'roles'].get(key);
  }

  private visitScope(scope: string, { name, groups }: UserInfo, see: GrantVisitor): boolean {
    const subjects = this.scopes.get(scope);
    if (!subjects) return false;
    if (subjects.users.get(name)?.distinct.some(see) === true) return true;
    return groups.some((group) => subjects.groups.get(group)?.distinct.some(see) === true);
  }

  private putBinding(bindings: Map<ObjectKey, Grant[]>, entry: Entry): void {
    this.removeBinding(bindings, entry.key);
    const grants = grantsOf(entry);
    bindings.set(entry.key, grants);
    for (const grant of grants) this.scope(grant.namespace).add(grant);
  }

  private removeBinding(bindings: Map<ObjectKey, Grant[]>, key: ObjectKey): void {
    for (const grant of bindings.get(key) ?? []) {
      const scope = this.scope(grant.namespace);
      scope.remove(grant);
      if (scope.isEmpty) this.scopes.delete(grant.namespace);
    }
    bindings.delete(key);
  }

  private scope(namespace: string): Subjects {
    let scope = this.scopes.get(namespace);
    if (!scope) this.scopes.set(namespace, (scope = new Subjects()));
    return scope;
  }
}
