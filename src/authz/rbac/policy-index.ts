/**
 * Roles and bindings, indexed for the check of every request: what is granted to this user or one of its groups, in the
 * cluster or in this namespace? A watch event updates only the object that it names.
 */
import { SharedSlice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { decodeStored, decodeStoredInSlices } from '../../codec/stored.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { Entry, ObjectKey } from '../../storage/types.ts';
import { grantsOf, roleKey, type Grant, type PolicyPlural, type RoleRef } from './policy-objects.ts';
import { eachRule, readRules, type PolicyRule } from './policy-rule.ts';
import { RoleRules, RuleIndex } from './role-rules.ts';
import { RoleTable } from './role-table.ts';
import { SubjectGrants, type GrantQuery, type RoleSource } from './subject-grants.ts';

/** The grants in one namespace, or in the cluster, by who has them. */
class Subjects {
  readonly users = new Map<string, SubjectGrants>();
  readonly groups = new Map<string, SubjectGrants>();
  private readonly source: RoleSource;

  constructor(source: RoleSource) {
    this.source = source;
  }

  get isEmpty(): boolean {
    return this.users.size === 0 && this.groups.size === 0;
  }

  add(grant: Grant): void {
    const subjects = this.of(grant);
    let grants = subjects.get(grant.subject);
    if (!grants) subjects.set(grant.subject, (grants = new SubjectGrants(this.source)));
    grants.add(grant);
  }

  remove(grant: Grant): void {
    const subjects = this.of(grant);
    const grants = subjects.get(grant.subject);
    grants?.remove(grant);
    if (grants?.isEmpty === true) subjects.delete(grant.subject);
  }

  private of({ type }: Grant): Map<string, SubjectGrants> {
    return type === 'User' ? this.users : this.groups;
  }
}

/** Large objects of policy that are read at the same time share a slice in each turn. */
const slices = new SharedSlice();

function breathe(): MaybePromise<void> {
  return slices.shouldYield() ? slices.yieldNow() : undefined;
}

/** Rules between two looks at the clock. */
const rulesOfStep = 64;

async function roleInSlices(object: JsonObject): Promise<RoleRules> {
  const list: PolicyRule[] = [];
  const index = new RuleIndex();
  for (const rule of eachRule(object['rules'])) {
    list.push(rule);
    for (const _step of index.add(rule)) await breathe();
    if (list.length % rulesOfStep === 0) await breathe();
  }
  return new RoleRules(list, index);
}

function isRole(plural: PolicyPlural): plural is 'roles' | 'clusterroles' {
  return plural === 'roles' || plural === 'clusterroles';
}

export class PolicyIndex {
  private readonly roles = new RoleTable();
  /** By namespace, '' for the cluster. */
  private readonly scopes = new Map<string, Subjects>();
  /** What each binding gives, for its end. */
  private readonly bindings = {
    clusterrolebindings: new Map<ObjectKey, Grant[]>(),
    rolebindings: new Map<ObjectKey, Grant[]>(),
  };

  put(plural: PolicyPlural, entry: Entry): void {
    const object = decodeStored(entry.bytes);
    if (isRole(plural)) this.roles.put(plural, entry.key, new RoleRules(readRules(object['rules'])));
    else this.putBinding(this.bindings[plural], entry.key, object);
  }

  /**
   * Reads a large object in slices; until what it gives is called, which takes a moment for a role, the index holds what
   * it held.
   * @throws DecodeError
   */
  async prepare(plural: PolicyPlural, { key, bytes }: Entry): Promise<() => void> {
    const object = await decodeStoredInSlices(bytes, breathe);
    if (!isRole(plural))
      return () => {
        this.putBinding(this.bindings[plural], key, object);
      };
    const rules = await roleInSlices(object);
    return () => {
      this.roles.put(plural, key, rules);
    };
  }

  remove(plural: PolicyPlural, key: ObjectKey): void {
    if (isRole(plural)) this.roles.remove(plural, key);
    else this.removeBinding(this.bindings[plural], key);
  }

  /** Keys of the objects of a resource that are known. */
  keys(plural: PolicyPlural): Iterable<ObjectKey> {
    return isRole(plural) ? this.roles.keys(plural) : this.bindings[plural].keys();
  }

  /** The rules of a role; undefined: there is none. */
  rulesOf(roleRef: RoleRef, namespace: string): RoleRules | undefined {
    return this.roles.get(
      roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles',
      roleKey(roleRef, namespace),
    );
  }

  /** The rules that a grant gives. */
  rulesOfGrant(grant: Grant): RoleRules | undefined {
    return this.roles.rulesOfGrant(grant);
  }

  /** A grant to the user in the cluster, or in the namespace ('' for none), that allows what is asked. */
  find(user: UserInfo, query: GrantQuery): Grant | undefined {
    for (const grants of this.grantsOf(user, query.info.namespace)) {
      const found = grants.find(query);
      if (found) return found;
    }
    return undefined;
  }

  /** A user's grants in the cluster, then in the namespace ('' for none), one for each role, subject and scope. */
  *grants(user: UserInfo, namespace: string): Generator<Grant> {
    for (const grants of this.grantsOf(user, namespace)) yield* grants.distinct();
  }

  private *grantsOf(user: UserInfo, namespace: string): Generator<SubjectGrants> {
    yield* this.grantsIn('', user);
    if (namespace !== '') yield* this.grantsIn(namespace, user);
  }

  private *grantsIn(scope: string, { name, groups }: UserInfo): Generator<SubjectGrants> {
    const subjects = this.scopes.get(scope);
    if (!subjects) return;
    const own = subjects.users.get(name);
    if (own) yield own;
    for (const group of groups) {
      const given = subjects.groups.get(group);
      if (given) yield given;
    }
  }

  private putBinding(bindings: Map<ObjectKey, Grant[]>, key: ObjectKey, object: JsonObject): void {
    this.removeBinding(bindings, key);
    const grants = grantsOf(object);
    bindings.set(key, grants);
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
    if (!scope) this.scopes.set(namespace, (scope = new Subjects(this.roles)));
    return scope;
  }
}
