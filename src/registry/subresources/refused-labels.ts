/**
 * Which labels large selectors have refused. A selector is met only where each of its requirements is, and each is about one label:
 * what was refused for one label is refused for every other object that has the same value of it, or lacks it, too. That is a
 * few bytes for a selector that takes 40 ms to parse.
 *
 * Selectors are known by a digest of the text that they are part of: several control planes of one process, states that are
 * brought back, and threads that receive a copy of each entry need nothing else.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { labelOf, type Labels } from '../../meta/label-requirements.ts';
import type { Entry } from '../../storage/types.ts';
import { memoized } from '../entry-memo.ts';

const mostTexts = 1_000;
/** Of one text. */
const mostRefusals = 16;

/** A label, and the value for which it was refused; undefined: because it was not there. */
type Refusal = readonly [key: string, value: string | undefined];

const digestOf = memoized(({ bytes }) => createHash('sha256').update(bytes).digest('latin1'));

export class RefusedLabels {
  /** By digest. */
  readonly #byText = new LRUCache<string, readonly Refusal[]>({ max: mostTexts });

  /** True if it is known that the selector in the text refuses them. */
  refuse(entry: Entry, labels: Labels): boolean {
    const refusals = this.#byText.get(digestOf(entry)) ?? [];
    return refusals.some(([key, value]) => labelOf(labels, key) === value);
  }

  /** The selector in the text refuses all labels in which this one is as in these. */
  note(entry: Entry, key: string, labels: Labels): void {
    const digest = digestOf(entry);
    const refusals = this.#byText.get(digest) ?? [];
    this.#byText.set(digest, [...refusals.slice(1 - mostRefusals), [key, labelOf(labels, key)]]);
  }
}
