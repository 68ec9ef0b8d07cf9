/** Texts by code points: their places count characters, not the halves of pairs. */
import { firstAtLeast } from '../../base/first-at-least.ts';
import type { Run } from '../run/run.ts';
import { EvaluationError } from '../language/errors.ts';
import { checkLength } from './text-search.ts';

/** A text whose characters have numbers. */
export interface Characters {
  readonly length: number;
  slice(start: number, end?: number): string;
  /** The number of the character at an offset of the text. */
  numberAt(offset: number): number;
  /** The offset of a character. */
  offsetOf(number: number): number;
}

const pair = /[\ud800-\udfff]/;

export function charactersOf(run: Run, text: string): Characters {
  run.work(text.length / 64);
  if (!pair.test(text))
    return {
      length: text.length,
      slice: (start, end) => text.slice(start, end),
      numberAt: (offset) => offset,
      offsetOf: (number) => number,
    };
  checkLength(text);
  run.work(text.length / 4);
  const characters = Array.from(text);
  const offsets: number[] = [];
  let sum = 0;
  for (const character of characters) {
    offsets.push(sum);
    sum += character.length;
  }
  return {
    length: characters.length,
    slice: (start, end) => characters.slice(start, end).join(''),
    numberAt: (offset) => firstAtLeast(offsets, offset),
    offsetOf: (number) => offsets[number] ?? text.length,
  };
}

/** A place in a text or list. @throws EvaluationError if it is beyond */
export function placeWithin(place: bigint, length: number): number {
  if (place < 0n || place > BigInt(length)) throw new EvaluationError(`index out of range: ${String(place)}`);
  return Number(place);
}
