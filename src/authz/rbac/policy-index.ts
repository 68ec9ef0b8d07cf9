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
import { BindingTable } from './binding-table.ts';
import { roleKey, type Grant, type PolicyPlural, type RoleRef } from './policy-objects.ts';
import { eachRule, readRules, type PolicyRule } from './policy-rule.ts';
import { RoleRules, RuleIndex } from './role-rules.ts';
import { RoleTable } from './role-table.ts';
import type { GrantQuery } from './subject-grants.ts';
import { SubjectScopes } from './subject-scopes.ts';

/** Large objects of policy that are read at the same time share a slice in each turn. */
const slices = new SharedSlice();

function breathe(): MaybePromise<void> {
  return slices.shouldYield() ? slices.yieldNow() : undefined;
}

/** Rules between two looks at the clock. */
const rulesOfStep = 64;

/** Steps over a subject or grant between two looks at the clock. */
const subjectsOfStep = 128;

async function inTurns<T>(steps: Generator<void, T, void>): Promise<T> {
  for (let taken = 1; ; taken += 1) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (taken % subjectsOfStep === 0) await breathe();
  }
}

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

/** What was read of roles, for indexes of one process that hold the same entries. */
export type ReadRoles = WeakMap<Entry, RoleRules>;

function isRole(plural: PolicyPlural): plural is 'roles' | 'clusterroles' {
  return plural === 'roles' || plural === 'clusterroles';
}

export class PolicyIndex {
  private readonly roles = new RoleTable();
  private readonly scopes = new SubjectScopes(this.roles);
  private readonly bindings = {
    clusterrolebindings: new BindingTable(this.scopes, inTurns),
    rolebindings: new BindingTable(this.scopes, inTurns),
  };

  private readonly read: ReadRoles | undefined;

  /** @param read absent: each role is read here, and nothing is kept of it beside the index */
  constructor(read?: ReadRoles) {
    this.read = read;
  }

  put(plural: PolicyPlural, entry: Entry): void {
    if (isRole(plural)) this.roles.put(plural, entry.key, this.rulesIn(entry));
    else this.bindings[plural].put(entry.key, decodeStored(entry.bytes));
  }

  /**
   * Reads a large object in slices; until what it gives is called, which takes a moment, the index holds what it held.
   * @throws DecodeError
   */
  async prepare(plural: PolicyPlural, { key, bytes }: Entry): Promise<() => void> {
    const object = await decodeStoredInSlices(bytes, breathe);
    if (!isRole(plural)) return this.bindings[plural].prepare(key, object);
    const rules = await roleInSlices(object);
    return () => {
      this.roles.put(plural, key, rules);
    };
  }

  private rulesIn(entry: Entry): RoleRules {
    const rules = this.read?.get(entry) ?? new RoleRules(readRules(decodeStored(entry.bytes)['rules']));
    this.read?.set(entry, rules);
    return rules;
  }

  remove(plural: PolicyPlural, key: ObjectKey): void {
    if (isRole(plural)) this.roles.remove(plural, key);
    else this.bindings[plural].remove(key);
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
    for (const grants of this.scopes.of(user, query.info.namespace)) {
      const found = grants.find(query);
      if (found) return found;
    }
    return undefined;
  }

  /** A user's grants in the cluster, then in the namespace ('' for none), one for each role, subject and scope. */
  *grants(user: UserInfo, namespace: string): Generator<Grant> {
    for (const grants of this.scopes.of(user, namespace)) yield* grants.distinct();
  }
}
