/**
 * The bootstrap policy as data. Lists are words of a text; names carry placeholders of the naming profile, and the
 * group of core objects is the word `core`.
 */
import type { PolicyRule } from '../rbac/policy-rule.ts';

/** Roles whose rules are gathered from others. */
export type AggregateName = 'admin' | 'edit' | 'view';

export interface ClusterRoleSource {
  readonly name: string;
  /** Its rules are those of all roles that join it. */
  readonly gathers?: AggregateName;
  readonly joins?: AggregateName;
  readonly rules: readonly PolicyRule[];
}

export interface RoleSource {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

export interface SubjectSource {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
}

/** Gives a ClusterRole in the whole cluster, or with `namespace` a Role there. */
export interface BindingSource {
  readonly name: string;
  readonly role: string;
  readonly namespace?: string;
  readonly subjects: readonly SubjectSource[];
}

const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

export function rule(verbs: string, groups: string, resources: string): PolicyRule {
  const apiGroups = words(groups).map((group) => (group === 'core' ? '' : group));
  return { ...none, verbs: words(verbs), apiGroups, resources: words(resources) };
}

/** Of objects with these names alone. */
export function named(verbs: string, groups: string, resources: string, names: string): PolicyRule {
  return { ...rule(verbs, groups, resources), resourceNames: words(names) };
}

export function paths(verbs: string, urls: string): PolicyRule {
  return { ...none, verbs: words(verbs), nonResourceURLs: words(urls) };
}

/** The rule for components that record events. */
export const events = rule('create patch update', 'core events.{api}', 'events');

function words(text: string): string[] {
  return text.split(' ');
}
