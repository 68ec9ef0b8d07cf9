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

  /** Counts a list of a rule. */
  take(list: readonly string[]): void {
    for (const word of list) this.left -= word.length + 3;
    this.isSpent ||= this.left < 0;
  }
}

/** Resolves in a later turn of the event loop, in which no other review is in work. */
export function nextReview(): Promise<void> {
  return turns.yieldNow();
}

/** Rules about resources. Not to be changed: their lists are those of the rules. */
export function listedResourceRules(rules: readonly ResourceRule[], text: ListedText): Promise<JsonObject[]> {
  return listed(rules, text, ['verbs', 'apiGroups', 'resources', 'resourceNames']);
}

/** Rules about paths, not to be changed either. */
export function listedNonResourceRules(
  rules: readonly NonResourceRule[],
  text: ListedText,
): Promise<JsonObject[]> {
  return listed(rules, text, ['verbs', 'nonResourceURLs']);
}

/** @param names of their lists, in the order in which they are written; all but the verbs are left out where they are empty */
async function listed<N extends string>(
  rules: readonly Readonly<Record<N | 'verbs', readonly string[]>>[],
  text: ListedText,
  names: readonly N[],
): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  for (const rule of rules) {
    const shown: JsonObject = { verbs: rule.verbs as JsonArray };
    for (const name of names) {
      const list = rule[name];
      if (list.length === 0) continue;
      shown[name] = list as JsonArray;
      text.take(list);
    }
    if (text.isSpent) break;
    all.push(shown);
    if (all.length % rulesAtOnce === 0 && turns.shouldYield()) await turns.yieldNow();
  }
  return all;
}
