/** Matchers for objects of the API: `expect.extend(matchers)`, in Jest and in Vitest. */
import { toBeObserved, toHaveCondition } from './conditions.ts';
import { toBeManagedBy } from './managers.ts';
import { toBeOwnedBy, toBeTerminating, toHaveAnnotation, toHaveFinalizer, toHaveLabel } from './metadata.ts';
import { toBeRefusedWith } from './refusals.ts';
import type { ObjectMatchers } from './types.ts';

export const matchers = {
  toHaveCondition,
  toBeObserved,
  toBeOwnedBy,
  toBeManagedBy,
  toHaveFinalizer,
  toBeTerminating,
  toHaveLabel,
  toHaveAnnotation,
  toBeRefusedWith,
};

export type { ConditionDetails } from './conditions.ts';
export type { OwnerOptions, OwnerReference } from './metadata.ts';
export type { MatcherResult } from './received.ts';
export type { ObjectMatchers } from './types.ts';

declare global {
  // Where @types/jest and Vitest look for matchers of others.
  // eslint-disable-next-line @typescript-eslint/no-namespace -- a name of theirs
  namespace jest {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars -- it is merged
    interface Matchers<R, T = {}> extends ObjectMatchers<R> {}
  }
}
