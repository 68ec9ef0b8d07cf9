/** Rules as SelfSubjectRulesReview lists them. A user may have tens of thousands: reviews take turns, and yield within. */
import { SharedSlice } from '../../base/cooperate.ts';
import type { JsonArray, JsonObject } from '../../base/json.ts';
import type { NonResourceRule, ResourceRule } from './reviewer.ts';

const turns = new SharedSlice();
/** Between two looks at the clock. */
const rulesAtOnce = 100;

/** Characters of the rules in one answer, about: many clients may ask at once. */
const maxListedText = 8 * 1024 * 1024;

/** What the lists of one answer may take. */
export class ListedText {
  private left = maxListedText;
  /** Some rules were left out. */
  isSpent = false;

  /** Whether there is room for a rule of these lists. */
  take(lists: readonly (readonly string[])[]): boolean {
    for (const list of lists) for (const word of list) this.left -= word.length + 3;
    this.isSpent ||= this.left < 0;
    return !this.isSpent;
  }
}

/** Resolves in a later turn of the event loop, in which no other review is in work. */
export function nextReview(): Promise<void> {
  return turns.yieldNow();
}

/** Rules about resources. Not to be changed: their lists are those of the rules. */
export function listedResourceRules(rules: readonly ResourceRule[], text: ListedText): Promise<JsonObject[]> {
  return listed(rules, text, ({ apiGroups, resources, resourceNames }) => ({
    ...given('apiGroups', apiGroups),
    ...given('resources', resources),
    ...given('resourceNames', resourceNames),
  }));
}

/** Rules about paths, not to be changed either. */
export function listedNonResourceRules(
  rules: readonly NonResourceRule[],
  text: ListedText,
): Promise<JsonObject[]> {
  return listed(rules, text, ({ nonResourceURLs }) => given('nonResourceURLs', nonResourceURLs));
}

async function listed<R extends { readonly verbs: readonly string[] }>(
  rules: readonly R[],
  text: ListedText,
  listsOf: (rule: R) => JsonObject,
): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  for (const rule of rules) {
    const lists = listsOf(rule);
    if (!text.take([rule.verbs, ...(Object.values(lists) as string[][])])) break;
    all.push({ verbs: rule.verbs as JsonArray, ...lists });
    if (all.length % rulesAtOnce === 0 && turns.shouldYield()) await turns.yieldNow();
  }
  return all;
}

/** Empty lists are omitted. */
function given(name: string, values: readonly string[]): JsonObject {
  return values.length > 0 ? { [name]: values as JsonArray } : {};
}
