/** Rules as SelfSubjectRulesReview lists them. A user may have tens of thousands: reviews take turns, and yield within. */
import { SharedSlice } from '../../base/cooperate.ts';
import type { JsonArray, JsonObject } from '../../base/json.ts';
import type { NonResourceRule, ResourceRule } from './reviewer.ts';

const turns = new SharedSlice();
/** Between two looks at the clock. */
const rulesAtOnce = 100;

/** Resolves in a later turn of the event loop, in which no other review is in work. */
export function nextReview(): Promise<void> {
  return turns.yieldNow();
}

/** Rules about resources. Not to be changed: their lists are those of the rules. */
export function listedResourceRules(rules: readonly ResourceRule[]): Promise<JsonObject[]> {
  return listed(rules, ({ apiGroups, resources, resourceNames }) => ({
    ...given('apiGroups', apiGroups),
    ...given('resources', resources),
    ...given('resourceNames', resourceNames),
  }));
}

/** Rules about paths, not to be changed either. */
export function listedNonResourceRules(rules: readonly NonResourceRule[]): Promise<JsonObject[]> {
  return listed(rules, ({ nonResourceURLs }) => given('nonResourceURLs', nonResourceURLs));
}

async function listed<R extends { readonly verbs: readonly string[] }>(
  rules: readonly R[],
  listsOf: (rule: R) => JsonObject,
): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  for (const rule of rules) {
    all.push({ verbs: rule.verbs as JsonArray, ...listsOf(rule) });
    if (all.length % rulesAtOnce === 0 && turns.shouldYield()) await turns.yieldNow();
  }
  return all;
}

/** Empty lists are omitted. */
function given(name: string, values: readonly string[]): JsonObject {
  return values.length > 0 ? { [name]: values as JsonArray } : {};
}
