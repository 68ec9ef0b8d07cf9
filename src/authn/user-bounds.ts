/**
 * How much a user may have that another party names: every request of the user carries it, rules are compared with
 * each group, and caches keep it.
 */
import { measure } from '../base/measure.ts';
import type { UserInfo } from '../meta/user.ts';

/** Groups, and keys and values of extra. */
export const mostTexts = 5_000;
/** Length of all texts. */
export const mostLength = 256 * 1024;

/** What all users that a cache of decisions keeps weigh at most, see `userWeight`. */
export const mostCachedWeight = 16 * 1024 * 1024;

/** About the bytes that a user takes. */
export function userWeight({ name, uid, groups, extra }: UserInfo): number {
  return measure([name, uid, ...groups, ...Object.entries(extra).flat(2)]).weight;
}

/** What a user has too much of; '' for nothing. */
export function tooMuchOf({ name, uid, groups, extra }: UserInfo): string {
  const texts = [...groups, ...Object.entries(extra).flat(2)];
  if (texts.length > mostTexts)
    return `the user has more than ${String(mostTexts)} groups and values of extra`;
  const length = texts.reduce((sum, text) => sum + text.length, name.length + uid.length);
  return length > mostLength ? `the user has names of more than ${String(mostLength)} characters` : '';
}
