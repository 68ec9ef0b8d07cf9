/** RBAC: allows what a role that was given to the user, or to one of its groups, covers; it never denies. */
import { resourceName } from '../../meta/gvk.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { AuthorizerAttributes, AuthorizerDecision, RuleAuthorizer, UserRules } from '../types.ts';
import type { PolicyIndex } from './policy-index.ts';
import type { Grant } from './policy-objects.ts';
import type { PolicyRule } from './policy-rule.ts';
import { combinedResource, type RoleRules } from './role-rules.ts';

/** `group` is the API group of roles, for messages about missing roles. */
export function createRbacAuthorizer(index: PolicyIndex, group: string): RuleAuthorizer {
  return {
    authorize: (attributes) => decide(index, group, attributes),
    rulesFor: (user, namespace, most) => rulesOfUser(index, group, { user, namespace, most }),
  };
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

interface RulesQuery {
  readonly user: UserInfo;
  readonly namespace: string;
  readonly most?: number | undefined;
}

function rulesOfUser(
  index: PolicyIndex,
  group: string,
  { user, namespace, most = Infinity }: RulesQuery,
): UserRules {
  const resourceRules: PolicyRule[] = [];
  const nonResourceRules: PolicyRule[] = [];
  const missing = new Set<string>();
  const listed = new Set<RoleRules>();
  for (const grant of index.grants(user, namespace)) {
    const rules = index.rulesOfGrant(grant);
    if (!rules) noteMissing(missing, grant, group);
    // A role may be given to the user and to its groups.
    else if (listed.has(rules)) continue;
    else listed.add(rules);
    for (const rule of rules?.list ?? []) {
      if (resourceRules.length + nonResourceRules.length >= most) {
        const more = `RBAC: only the first ${String(most)} rules are listed`;
        return { resourceRules, nonResourceRules, problems: [...missing, more] };
      }
      (rule.nonResourceURLs.length > 0 ? nonResourceRules : resourceRules).push(rule);
    }
  }
  return { resourceRules, nonResourceRules, problems: [...missing] };
}
