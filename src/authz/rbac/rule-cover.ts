/**
 * Whether rules cover other rules: who gives permissions must have them. What is missing is told in the words that
 * clients of this API know.
 */
import { Slice } from '../../base/cooperate.ts';
import { coversPath, type PolicyRule } from './policy-rule.ts';

/** More than these are not looked for: nobody reads on. */
const mostMissing = 200;
/** Rules with longer lists are compared a permission at a time, which yields in between. */
const longestAtOnce = 200;

const all = '*';

/**
 * Gives what of `wanted` is not covered by `held`, taken apart as far as needed; rules that differ in verbs alone are
 * joined. Ends with the signal, for lists may be long.
 */
export async function missingRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  signal?: AbortSignal,
): Promise<PolicyRule[]> {
  const slice = new Slice();
  const missing: PolicyRule[] = [];
  for (const part of partsOf(wanted, held)) {
    if (slice.shouldYield()) await slice.yieldNow();
    signal?.throwIfAborted();
    if (held.some((rule) => ruleCovers(rule, part))) continue;
    missing.push(part);
    if (missing.length >= mostMissing) break;
  }
  return joinVerbs(missing);
}

/** The rules that no single rule covers as a whole, in single permissions. */
function* partsOf(wanted: readonly PolicyRule[], held: readonly PolicyRule[]): Iterable<PolicyRule> {
  for (const rule of wanted) {
    const isCovered = lengthOf(rule) <= longestAtOnce && held.some((other) => ruleCovers(other, rule));
    if (!isCovered) yield* singles(rule);
  }
}

function lengthOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const lists = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return lists.reduce((sum, list) => sum + list.length, 0);
}

const empty: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

function* singles(rule: PolicyRule): Iterable<PolicyRule> {
  for (const group of rule.apiGroups) {
    for (const resource of rule.resources) {
      const target = { ...empty, apiGroups: [group], resources: [resource] };
      for (const verb of rule.verbs) yield* withNames({ ...target, verbs: [verb] }, rule.resourceNames);
    }
  }
  for (const url of rule.nonResourceURLs)
    for (const verb of rule.verbs) yield { ...empty, nonResourceURLs: [url], verbs: [verb] };
}

function* withNames(rule: PolicyRule, names: readonly string[]): Iterable<PolicyRule> {
  if (names.length === 0) yield rule;
  for (const name of names) yield { ...rule, resourceNames: [name] };
}

/** True when everything that `wanted` allows is allowed by `rule`, too. */
function ruleCovers(rule: PolicyRule, wanted: PolicyRule): boolean {
  return (
    hasEvery(rule.verbs, wanted.verbs) &&
    hasEvery(rule.apiGroups, wanted.apiGroups) &&
    (rule.resources.includes(all) || wanted.resources.every((r) => coversResource(rule.resources, r))) &&
    wanted.nonResourceURLs.every((path) => rule.nonResourceURLs.some((url) => coversPath(url, path))) &&
    coversNames(rule.resourceNames, wanted.resourceNames)
  );
}

function hasEvery(list: readonly string[], wanted: readonly string[]): boolean {
  return list.includes(all) || wanted.every((item) => list.includes(item));
}

function coversResource(resources: readonly string[], wanted: string): boolean {
  if (resources.includes(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && resources.includes(`${all}${wanted.slice(slash)}`);
}

function coversNames(names: readonly string[], wanted: readonly string[]): boolean {
  return names.length === 0 || (wanted.length > 0 && wanted.every((name) => names.includes(name)));
}

function joinVerbs(rules: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...target } = rule;
    const key = rule.nonResourceURLs.length > 0 ? JSON.stringify(rule) : JSON.stringify(target);
    const known = joined.get(key);
    joined.set(key, known ? { ...known, verbs: [...known.verbs, ...verbs] } : rule);
  }
  return [...joined.values()];
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function describeRule(rule: PolicyRule): string {
  const parts: [string, readonly string[]][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const given = parts.filter(([, list]) => list.length > 0);
  return `{${given.map(([name, list]) => `${name}:${quotedList(list)}`).join(', ')}}`;
}

/** `["a" "b"]` */
export function quotedList(list: readonly string[]): string {
  return `[${list.map((item) => JSON.stringify(item)).join(' ')}]`;
}
