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
  ownerRules: Iterable<PolicyRule>,
  wanted: readonly PolicyRule[],
  signal?: AbortSignal,
): Promise<MissingRules> {
  const held = new HeldRules();
  for (const rule of ownerRules) {
    if (comparing.shouldYield()) await comparing.yieldNow();
    for (const _step of held.add(rule)) if (comparing.shouldYield()) await comparing.yieldNow();
  }
  const comparison = new Comparison(held, signal);
  for (const rule of wanted) {
    if (comparing.shouldYield()) await comparing.yieldNow();
    for (const half of await halves(rule)) await comparison.compare(half);
  }
  return { rules: joinVerbs(comparison.missing), isUnfinished: comparison.isUnfinished };
}

class Comparison {
  readonly missing: PolicyRule[] = [];
  isUnfinished = false;
  readonly #held: HeldRules;
  readonly #signal: AbortSignal | undefined;
  #compared = 0;

  constructor(held: HeldRules, signal: AbortSignal | undefined) {
    this.#held = held;
    this.#signal = signal;
  }

  /** Takes a rule that is not covered apart, each part when its turn comes: there may be hundreds of thousands. */
  async compare(part: PolicyRule): Promise<void> {
    if (this.#isOver()) return;
    this.#compared += 1;
    if (await this.#isCovered(part)) return;
    const list = lists.find((name) => part[name].length > 1);
    if (!list) this.missing.push(part);
    else
      for (const item of part[list]) {
        await this.compare({ ...part, [list]: [item] });
        if (this.#isOver()) return;
      }
  }

  #isOver(): boolean {
    if (this.missing.length >= maxMissing) return true;
    return (this.isUnfinished = this.#compared >= maxParts);
  }

  async #isCovered(part: PolicyRule): Promise<boolean> {
    for (const holder of this.#held.candidates(part)) {
      if (comparing.shouldYield()) await comparing.yieldNow();
      this.#signal?.throwIfAborted();
      if (holder.covers(part)) return true;
    }
    return false;
  }
}

const empty: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** What a rule allows on resources and what on paths, without repetitions; a rule without verbs allows nothing. */
async function halves(rule: PolicyRule): Promise<PolicyRule[]> {
  const [verbs, apiGroups, resources] = [
    await once(rule.verbs),
    await once(rule.apiGroups),
    await once(rule.resources),
  ];
  const nonResourceURLs = await once(rule.nonResourceURLs);
  const isOfResources = verbs.length * apiGroups.length * resources.length > 0;
  const isOfPaths = verbs.length * nonResourceURLs.length > 0;
  const resourceNames = await once(rule.resourceNames);
  return [
    ...(isOfResources ? [{ ...empty, verbs, apiGroups, resources, resourceNames }] : []),
    ...(isOfPaths ? [{ ...empty, verbs, nonResourceURLs }] : []),
  ];
}

/** Items between two looks at the clock. */
const itemsOfStep = 1_024;

async function once(list: readonly string[]): Promise<readonly string[]> {
  if (list.length < 2) return list;
  const items = new Set<string>();
  for (let i = 0; i < list.length; i += 1) {
    if (i % itemsOfStep === itemsOfStep - 1 && comparing.shouldYield()) await comparing.yieldNow();
    items.add(list[i] ?? '');
  }
  return [...items];
}

/** Lists by which a rule is taken apart, in this order. */
const lists = ['apiGroups', 'resources', 'nonResourceURLs', 'verbs', 'resourceNames'] as const;

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
