/**
 * Whether rules cover other rules: a user may only grant permissions that they have. Missing rules are reported in the
 * format of kube-apiserver.
 */
import { SharedSlice } from '../../base/cooperate.ts';
import { HeldRules } from './held-rules.ts';
import type { PolicyRule } from './policy-rule.ts';

/** Most missing rules that are reported. */
const maxMissing = 200;
/**
 * More parts of rules than these are not compared. A rule of four lists of a thousand items is a million million
 * permissions in a few kilobytes.
 */
const maxParts = 100_000;
/** Of all writes of roles and bindings that are compared at once. */
const comparing = new SharedSlice();

export interface MissingRules {
  /** What is not covered, taken apart as far as needed; rules that differ in verbs alone are joined. */
  readonly rules: PolicyRule[];
  /** The rules were too many to be compared to their end: there may be more. */
  readonly isUnfinished: boolean;
}

/** Finds what of `wanted` is not covered by `ownerRules`. Ends with the signal, for lists may be long. */
export async function missingRules(
  ownerRules: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  signal?: AbortSignal,
): Promise<MissingRules> {
  const held = new HeldRules();
  for (const rule of ownerRules) {
    if (comparing.shouldYield()) await comparing.yieldNow();
    held.add(rule);
  }
  const missing: PolicyRule[] = [];
  const parts = wanted.flatMap(halves).reverse();
  for (let compared = 0; parts.length > 0 && missing.length < maxMissing; compared++) {
    if (compared >= maxParts) return { rules: joinVerbs(missing), isUnfinished: true };
    const part = parts.pop();
    if (part === undefined || (await isCovered(part, { held, signal }))) continue;
    const smaller = split(part);
    if (!smaller) missing.push(part);
    else for (const next of smaller.reverse()) parts.push(next);
  }
  return { rules: joinVerbs(missing), isUnfinished: false };
}

interface Comparison {
  readonly held: HeldRules;
  readonly signal: AbortSignal | undefined;
}

async function isCovered(part: PolicyRule, { held, signal }: Comparison): Promise<boolean> {
  for (const holder of held.candidates(part)) {
    if (comparing.shouldYield()) await comparing.yieldNow();
    signal?.throwIfAborted();
    if (holder.covers(part)) return true;
  }
  return false;
}

const empty: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** What a rule allows on resources and what on paths, without repetitions; a rule without verbs allows nothing. */
function halves(rule: PolicyRule): PolicyRule[] {
  const [verbs, apiGroups, resources] = [once(rule.verbs), once(rule.apiGroups), once(rule.resources)];
  const nonResourceURLs = once(rule.nonResourceURLs);
  const isOfResources = verbs.length * apiGroups.length * resources.length > 0;
  const isOfPaths = verbs.length * nonResourceURLs.length > 0;
  const resourceNames = once(rule.resourceNames);
  return [
    ...(isOfResources ? [{ ...empty, verbs, apiGroups, resources, resourceNames }] : []),
    ...(isOfPaths ? [{ ...empty, verbs, nonResourceURLs }] : []),
  ];
}

function once(list: readonly string[]): string[] {
  return [...new Set(list)];
}

/** Lists by which a rule is taken apart, in this order. */
const lists = ['apiGroups', 'resources', 'nonResourceURLs', 'verbs', 'resourceNames'] as const;

/** The same rule in smaller parts; undefined: it is a single permission. */
function split(rule: PolicyRule): PolicyRule[] | undefined {
  const list = lists.find((name) => rule[name].length > 1);
  return list && rule[list].map((item) => ({ ...rule, [list]: [item] }));
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
