/** Rules that roles got after release 1.21, by the first release that has them. */
import type { PolicyRule } from '../rbac/policy-rule.ts';
import { rule } from './types.ts';

interface LaterRule {
  readonly role: string;
  /** N of the release 1.N. */
  readonly since: number;
  readonly rule: PolicyRule;
}

const write = 'create delete deletecollection patch update';
const read = 'get list watch';

const laterRules: readonly LaterRule[] = [
  { role: 'system:aggregate-to-edit', since: 22, rule: rule('create', 'core', 'pods/eviction') },
  { role: 'system:aggregate-to-edit', since: 24, rule: rule('create', 'core', 'serviceaccounts/token') },
  { role: 'system:aggregate-to-edit', since: 22, rule: rule(write, 'core', 'events') },
  {
    role: 'system:aggregate-to-edit',
    since: 27,
    rule: rule(`${write} ${read}`, 'coordination.{api}', 'leases'),
  },
  {
    role: 'system:aggregate-to-edit',
    since: 34,
    rule: rule(write, 'resource.{api}', 'resourceclaims resourceclaimtemplates'),
  },
  { role: 'system:aggregate-to-view', since: 22, rule: rule(read, 'discovery.{api}', 'endpointslices') },
  {
    role: 'system:aggregate-to-view',
    since: 34,
    rule: rule(read, 'resource.{api}', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
  },
  {
    role: 'system:basic-user',
    since: 27,
    rule: rule('create', 'authentication.{api}', 'selfsubjectreviews'),
  },
  { role: 'system:monitoring', since: 34, rule: rule('get', 'core', 'nodes/metrics') },
  { role: 'system:node-proxier', since: 33, rule: rule('list watch', 'networking.{api}', 'servicecidrs') },
];

/** The rules of a release 1.N that a role has beside those of 1.21. */
export function laterRulesOf(role: string, minor: number): PolicyRule[] {
  return laterRules.filter((later) => later.role === role && later.since <= minor).map((later) => later.rule);
}
