/** RBAC: allows what a role that was given to the user, or to one of its groups, covers; it never denies. */
import { resourceName } from '../../meta/gvk.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { AuthorizerAttributes, AuthorizerDecision, RuleAuthorizer, UserRules } from '../types.ts';
import type { PolicyIndex } from './policy-index.ts';
import type { Grant } from './policy-objects.ts';
import type { PolicyRule } from './policy-rule.ts';
import { combinedResource, type RoleRules } from './role-rules.ts';

/** `group` is the API group of roles, for messages about missing roles. */
export function createRbacAuthorizer(index: PolicyIndex, group: string): RbacAuthorizer {
  const rolesFor: RbacAuthorizer['rolesFor'] = (user, namespace) =>
    rolesOfUser(index, group, [user, namespace]);
  return {
    authorize: (attributes) => decide(index, group, attributes),
    rolesFor,
    rulesFor: (user, namespace, most) => rulesIn(rolesFor(user, namespace), most),
  };
}

export interface RbacAuthorizer extends RuleAuthorizer {
  /** Roles as they are now: their rules, which may be a million, are not listed. */
  rolesFor(user: UserInfo, namespace: string): HeldRoles;
}

function decide(index: PolicyIndex, group: string, { user, info }: AuthorizerAttributes): AuthorizerDecision {
  let missing: Set<string> | undefined;
  const allowed = index.find(user, {
    info,
    resource: combinedResource(info),
    missing: (grant) => {
      noteMissing((missing ??= new Set()), grant, group);
    },
  });
  if (allowed) return { decision: 'allow', reason: allowed.reason };
  return { decision: 'noOpinion', reason: missing ? `RBAC: ${joined(missing)}` : '' };
}

/** Most missing roles that are reported: the messages go into responses and the audit log. */
const maxMissing = 100;

function noteMissing(missing: Set<string>, grant: Grant, group: string): void {
  if (missing.size < maxMissing) missing.add(missingRole(grant, group));
}

function missingRole({ roleRef }: Grant, group: string): string {
  return `${resourceName({ group, resource: roleRef.kind.toLowerCase() })} ${JSON.stringify(roleRef.name)} not found`;
}

function joined(problems: ReadonlySet<string>): string {
  const [first = ''] = problems;
  return problems.size === 1 ? first : `[${[...problems].join(', ')}]`;
}

/** The roles of a user in the cluster, then in the namespace ('' for none): one that the user and its groups have stands once. */
export interface HeldRoles {
  readonly roles: ReadonlySet<RoleRules>;
  /** Why there may be more. */
  readonly problems: readonly string[];
}

function rolesOfUser(
  index: PolicyIndex,
  group: string,
  [user, namespace]: readonly [UserInfo, string],
): HeldRoles {
  const roles = new Set<RoleRules>();
  const missing = new Set<string>();
  for (const grant of index.grants(user, namespace)) {
    const rules = index.rulesOfGrant(grant);
    if (rules) roles.add(rules);
    else noteMissing(missing, grant, group);
  }
  return { roles, problems: [...missing] };
}

function rulesIn({ roles, problems }: HeldRoles, most = Infinity): UserRules {
  const resourceRules: PolicyRule[] = [];
  const nonResourceRules: PolicyRule[] = [];
  for (const { list } of roles)
    for (const rule of list) {
      if (resourceRules.length + nonResourceRules.length >= most) {
        const more = `RBAC: only the first ${String(most)} rules are listed`;
        return { resourceRules, nonResourceRules, problems: [...problems, more] };
      }
      (rule.nonResourceURLs.length > 0 ? nonResourceRules : resourceRules).push(rule);
    }
  return { resourceRules, nonResourceRules, problems };
}
