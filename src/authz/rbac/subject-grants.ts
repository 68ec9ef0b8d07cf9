/** The grants of one subject in one scope. A role that is granted several times is checked once. */
import type { RequestInfo } from '../../meta/request-info.ts';
import { GrantedRules, type RoleId } from './granted-rules.ts';
import type { Grant } from './policy-objects.ts';
import type { RoleRules } from './role-rules.ts';

/** One of the grants of a role. */
function firstOf(grants: Grant | Set<Grant> | undefined): Grant | undefined {
  if (!(grants instanceof Set)) return grants;
  const [grant] = grants;
  return grant;
}

/** The roles that there are, and who has to be told of their changes. */
export interface RoleSource {
  rulesOfGrant(grant: Grant): RoleRules | undefined;
  /** From now on, changes of the role are put into `rules`. */
  follow(role: RoleId, rules: GrantedRules): void;
  unfollow(role: RoleId, rules: GrantedRules): void;
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
  /** Of many roles; made on first use. */
  private together: GrantedRules | undefined;

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
      if (this.together) this.include(this.together, role, grant);
    }
  }

  remove(grant: Grant): void {
    const role = roleOf(grant);
    const same = this.byRole.get(role);
    const isLast = same instanceof Set ? same.delete(grant) && same.size === 0 : same === grant;
    if (!isLast) return;
    this.byRole.delete(role);
    if (!this.together) return;
    this.source.unfollow(role, this.together);
    this.together.remove(role);
  }

  /** A grant that allows it; undefined if there is none. */
  find(query: GrantQuery): Grant | undefined {
    if (this.byRole.size < manyRoles && !this.together) return this.findOneByOne(query);
    this.together ??= this.putTogether();
    const role = this.together.find(query.info, query.resource);
    if (role !== undefined) return this.grantOf(role);
    for (const missing of this.together.missing) {
      const grant = this.grantOf(missing);
      if (grant) query.missing(grant);
    }
    return undefined;
  }

  private findOneByOne({ info, resource, missing }: GrantQuery): Grant | undefined {
    for (const grants of this.byRole.values()) {
      const grant = firstOf(grants);
      if (!grant) continue;
      const rules = this.source.rulesOfGrant(grant);
      if (rules === undefined) missing(grant);
      else if (rules.allows(info, resource)) return grant;
    }
    return undefined;
  }

  private grantOf(role: RoleId): Grant | undefined {
    return firstOf(this.byRole.get(role));
  }

  private putTogether(): GrantedRules {
    const rules = new GrantedRules();
    for (const [role, grants] of this.byRole) {
      const grant = firstOf(grants);
      if (grant) this.include(rules, role, grant);
    }
    return rules;
  }

  private include(rules: GrantedRules, role: RoleId, grant: Grant): void {
    rules.put(role, this.source.rulesOfGrant(grant));
    this.source.follow(role, rules);
  }
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
