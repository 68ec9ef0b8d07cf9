/** The grants of one subject in one scope. A role that is granted several times is checked once. */
import type { RequestInfo } from '../../meta/request-info.ts';
import { GrantedRules, type RoleId } from './granted-rules.ts';
import type { Grant } from './policy-objects.ts';
import type { RoleRules } from './role-rules.ts';

/** One of the grants of a role that is in force. */
function firstOf(grants: Grant | Set<Grant> | undefined): Grant | undefined {
  if (!(grants instanceof Set)) return grants?.isInForce === true ? grants : undefined;
  for (const grant of grants) if (grant.isInForce) return grant;
  return undefined;
}

/** Is notified when a role is added, changed or deleted. */
export interface RoleFollower {
  noteChange(role: RoleId): void;
}

/** The roles that there are, and who has to be told of their changes. */
export interface RoleSource {
  rulesOfGrant(grant: Grant): RoleRules | undefined;
  /** From now on, the follower is notified of changes of the role. */
  follow(role: RoleId, follower: RoleFollower): void;
  unfollow(role: RoleId, follower: RoleFollower): void;
}

/** What is looked for: `resource` is the request's resource with its subresource; `missing` is told of roles that do not exist. */
export interface GrantQuery {
  readonly info: RequestInfo;
  readonly resource: string;
  readonly missing: (grant: Grant) => void;
}

/** From this many roles on, an index of their rules is faster than to look at each of them. */
const manyRoles = 32;

export class SubjectGrants {
  private readonly source: RoleSource;
  /** Most subjects have a role once: a set for each would take more memory than the grants. */
  private readonly byRole = new Map<RoleId, Grant | Set<Grant>>();
  /** Of many roles; begun on first use. */
  private together: GrantsTogether | undefined;

  constructor(source: RoleSource) {
    this.source = source;
  }

  get isEmpty(): boolean {
    return this.byRole.size === 0;
  }

  /** One for each role. */
  *distinct(): Generator<Grant> {
    for (const grants of this.byRole.values()) {
      const grant = firstOf(grants);
      if (grant) yield grant;
    }
  }

  add(grant: Grant): void {
    const role = roleOf(grant);
    const same = this.byRole.get(role);
    if (same instanceof Set) same.add(grant);
    else if (same) this.byRole.set(role, new Set([same, grant]));
    else {
      this.byRole.set(role, grant);
      this.together?.add(role);
    }
  }

  remove(grant: Grant): void {
    const role = roleOf(grant);
    const same = this.byRole.get(role);
    const isLast = same instanceof Set ? same.delete(grant) && same.size === 0 : same === grant;
    if (!isLast) return;
    this.byRole.delete(role);
    this.together?.remove(role);
  }

  /** A grant that allows it; undefined if there is none. */
  find(query: GrantQuery): Grant | undefined {
    if (this.byRole.size >= manyRoles) this.together ??= this.putTogether();
    return this.together
      ? this.together.find(query)
      : firstThatAllows(this.byRole.values(), this.source, query);
  }

  private putTogether(): GrantsTogether {
    const together = new GrantsTogether(this.source, (role) => firstOf(this.byRole.get(role)));
    for (const role of this.byRole.keys()) together.add(role);
    return together;
  }
}

/** What a question adds to the index, in rules and names: a few milliseconds. */
const weightOfStep = 1_500;

/**
 * The index of many roles of one subject. Thousands of middle-sized roles would take seconds to put together: each question
 * adds some, and looks at those that are not there yet, or have changed, one by one.
 */
class GrantsTogether implements RoleFollower {
  private readonly source: RoleSource;
  private readonly grantOf: (role: RoleId) => Grant | undefined;
  private readonly rules = new GrantedRules();
  /** Of these the index knows nothing, or something old. */
  private readonly waiting = new Set<RoleId>();

  /** @param grantOf a grant of a role that is in force */
  constructor(source: RoleSource, grantOf: (role: RoleId) => Grant | undefined) {
    this.source = source;
    this.grantOf = grantOf;
  }

  add(role: RoleId): void {
    this.waiting.add(role);
    this.source.follow(role, this);
  }

  remove(role: RoleId): void {
    this.source.unfollow(role, this);
    this.waiting.delete(role);
    this.rules.remove(role);
  }

  noteChange(role: RoleId): void {
    this.waiting.add(role);
  }

  find(query: GrantQuery): Grant | undefined {
    this.grow();
    const counts = (role: RoleId): boolean => !this.waiting.has(role) && this.grantOf(role) !== undefined;
    const role = this.rules.find({ ...query, counts });
    if (role !== undefined) return this.grantOf(role);
    const found = firstThatAllows(this.grantsOf(this.waiting), this.source, query);
    if (!found) this.tellMissing(query);
    return found;
  }

  private grow(): void {
    let left = weightOfStep;
    for (const role of this.waiting) {
      if (left <= 0) return;
      const grant = this.grantOf(role);
      const rules = grant && this.source.rulesOfGrant(grant);
      left -= 1 + (rules?.weight ?? 0);
      // One that is not in force waits until it is.
      if (!grant) continue;
      this.waiting.delete(role);
      this.rules.put(role, rules);
    }
  }

  private *grantsOf(roles: Iterable<RoleId>): Generator<Grant> {
    for (const role of roles) {
      const grant = this.grantOf(role);
      if (grant) yield grant;
    }
  }

  private tellMissing({ missing }: GrantQuery): void {
    for (const role of this.rules.missing) {
      const grant = this.waiting.has(role) ? undefined : this.grantOf(role);
      if (grant) missing(grant);
    }
  }
}

/** The first of the grants that allows it. */
function firstThatAllows(
  all: Iterable<Grant | Set<Grant>>,
  source: RoleSource,
  { info, resource, missing }: GrantQuery,
): Grant | undefined {
  for (const grants of all) {
    const grant = firstOf(grants);
    if (!grant) continue;
    const rules = source.rulesOfGrant(grant);
    if (rules === undefined) missing(grant);
    else if (rules.allows(info, resource)) return grant;
  }
  return undefined;
}

/** A role that is no ClusterRole is one of a namespace. */
export function roleOf({ roleRef, roleKey }: Grant): RoleId {
  return roleRef.kind === 'ClusterRole' ? clusterRoleId(roleKey) : namespacedRoleId(roleKey);
}

export function clusterRoleId(key: string): RoleId {
  return `ClusterRole ${key}`;
}

export function namespacedRoleId(key: string): RoleId {
  return `Role ${key}`;
}
