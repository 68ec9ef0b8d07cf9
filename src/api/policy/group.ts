/** Pod security policies and disruption budgets. */
import type { GroupDefinition } from '../types.ts';
import { podDisruptionBudgets } from './pod-disruption-budgets.ts';
import { podSecurityPolicies } from './pod-security-policies.ts';

export const policyGroup: GroupDefinition = {
  group: 'policy',
  folder: 'policy',
  groupPriorityMinimum: 17100,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
  ],
  resources: [podDisruptionBudgets, podSecurityPolicies],
};
