/** All validators of histories by name, and one call for all of them. */
import { atomic } from './atomic.ts';
import { bookmarkable } from './bookmarkable.ts';
import { exactLists } from './exact-lists.ts';
import { filtered } from './filtered.ts';
import { linearizable } from './linearizable.ts';
import { ordered } from './ordered.ts';
import { reliable } from './reliable.ts';
import { replicaViews } from './replica-views.ts';
import { resumable } from './resumable.ts';
import { trueGets } from './true-gets.ts';
import { unique } from './unique.ts';
import { versionsNeverGoBack } from './versions-never-go-back.ts';
import { writesTakeEffectOnce } from './writes-take-effect-once.ts';
import type { History, Truth, Validator } from './types.ts';

export const validators = {
  linearizable,
  ordered,
  unique,
  atomic,
  reliable,
  resumable,
  bookmarkable,
  filtered,
  exactLists,
  trueGets,
  writesTakeEffectOnce,
  versionsNeverGoBack,
  replicaViews,
} satisfies Record<string, Validator>;

export type ValidatorName = keyof typeof validators;

const all = Object.keys(validators) as ValidatorName[];

/**
 * What any validator has to say, each line with its name; empty if the history keeps all promises.
 * @param names of those that are asked; absent: all
 */
export function validate(history: History, truth: Truth, names: readonly ValidatorName[] = all): string[] {
  return names.flatMap((name) => validators[name](history, truth).map((words) => `${name}: ${words}`));
}
