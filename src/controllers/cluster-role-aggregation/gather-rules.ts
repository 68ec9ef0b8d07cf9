/** Which roles an aggregated ClusterRole gathers, and the rules that it then has. */
import type { ClusterRole as ClusterRoleFields } from '../../api/rbac/v1.types.ts';
import { selectorSteps } from '../../api/compiled-selector.ts';
import type { Slice } from '../../base/cooperate.ts';
import { deepEqual, type JsonValue } from '../../base/json.ts';
import type { LabelSelector } from '../../meta/label-selector.ts';
import type { ApiObject } from '../../meta/object.ts';

/** What is known of a ClusterRole. */
export interface KnownRole {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly JsonValue[];
  /** undefined: its rules are its own. */
  readonly selectors: readonly LabelSelector[] | undefined;
}

/** Some steps for each selector, of which a role has room for 20,000. An empty one selects every role. */
export function* knownRole(object: ApiObject): Generator<void, KnownRole, void> {
  const { aggregationRule, rules } = object as ApiObject & ClusterRoleFields;
  const selectors: LabelSelector[] = [];
  for (const selector of aggregationRule?.clusterRoleSelectors ?? [])
    selectors.push(yield* selectorSteps(selector));
  return {
    name: object.metadata.name ?? '',
    labels: object.metadata.labels ?? {},
    rules: (rules ?? []) as unknown as JsonValue[],
    selectors: aggregationRule && selectors,
  };
}

/** True when the first role gathers the second. */
export function gathers({ name, selectors }: KnownRole, other: KnownRole): boolean {
  return name !== other.name && selectors?.some((selector) => selector.matches(other.labels)) === true;
}

/**
 * The rules of all roles that an aggregated one gathers, selector by selector in order of names, each once. Of one that
 * gathers itself these are the rules of what it gathers: roles that gather each other in a circle have those of all in
 * it, and not for ever what one of them once had. Nothing may change meanwhile, though it takes several turns: there may be
 * thousands of selectors, roles and rules.
 */
export async function gatheredRules(
  role: KnownRole,
  all: Iterable<KnownRole>,
  slice: Slice,
): Promise<JsonValue[]> {
  const others = [...all].sort((a, b) => (a.name < b.name ? -1 : 1));
  const distinct = new Map<string, JsonValue>();
  for (const { rules } of await sourcesOf(role, others, slice))
    for (const rule of rules) {
      distinct.set(JSON.stringify(rule), rule);
      if (slice.shouldYield()) await slice.yieldNow();
    }
  return [...distinct.values()];
}

/** The roles with rules of their own that a role gathers, also through others, in the order in which they come. */
async function sourcesOf(
  role: KnownRole,
  others: readonly KnownRole[],
  slice: Slice,
): Promise<readonly KnownRole[]> {
  const sources: KnownRole[] = [];
  const seen = new Set([role.name]);
  // The next one is the last.
  const left = (await selectedBy(role, others, slice)).reverse();
  for (let next = left.pop(); next; next = left.pop()) {
    if (seen.has(next.name)) continue;
    seen.add(next.name);
    if (next.selectors === undefined) sources.push(next);
    else left.push(...(await selectedBy(next, others, slice)).reverse());
  }
  return sources;
}

async function selectedBy(
  { name, selectors = [] }: KnownRole,
  others: readonly KnownRole[],
  slice: Slice,
): Promise<KnownRole[]> {
  const selected = new Set<KnownRole>();
  for (const selector of selectors)
    for (const other of others) {
      if (other.name !== name && selector.matches(other.labels)) selected.add(other);
      if (slice.shouldYield()) await slice.yieldNow();
    }
  return [...selected];
}

/** Whether two lists of rules are equal. */
export async function hasSameRules(
  rules: readonly JsonValue[],
  others: readonly JsonValue[],
  slice: Slice,
): Promise<boolean> {
  if (rules.length !== others.length) return false;
  for (const [i, rule] of rules.entries()) {
    if (!deepEqual(rule, others[i] ?? null)) return false;
    if (slice.shouldYield()) await slice.yieldNow();
  }
  return true;
}
