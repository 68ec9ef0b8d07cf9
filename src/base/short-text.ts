/**
 * Shortens input of clients in messages. It may be megabytes long, occur in many messages and be confidential, while
 * messages go to clients, logs and audit events.
 */
import { jsonStart, textStart } from './json-start.ts';

const maxQuoted = 500;
const maxPath = 1_000;
const pathHead = 600;

/** The beginning of a text, with an ellipsis if it was cut. */
export function shortText(text: string, most = maxQuoted): string {
  return text.length > most ? separate(`${textStart(text, most)}…`) : text;
}

/** A value as JSON, cut short without serializing the rest. */
export function quoted(value: unknown): string {
  return shortText(jsonStart(value, maxQuoted));
}

/** A field path; a long one is reduced to its beginning and end. */
export function shortPath(text: string): string {
  if (text.length <= maxPath) return text;
  return separate(`${textStart(text, pathHead)}…${text.slice(pathHead - maxPath)}`);
}

/** A field path of many steps, from the root on. Of a long one only what `shortPath` keeps is put into words. */
export function pathOfSteps<T>(steps: readonly T[], wordsOf: (step: T, isFirst: boolean) => string): string {
  const head = wordsUpTo(pathHead, steps, (step, i) => wordsOf(step, i === 0));
  const last = steps.slice(Math.max(head.length, steps.length - maxPath)).reverse();
  const tail = wordsUpTo(maxPath - pathHead, last, (step) => wordsOf(step, false));
  // What lies between is left out only where both ends together are too long.
  return shortPath(head.join('') + tail.reverse().join(''));
}

/** The words of the first steps, until they are longer than that together. */
function wordsUpTo<T>(
  length: number,
  steps: readonly T[],
  wordsOf: (step: T, index: number) => string,
): string[] {
  const words: string[] = [];
  let left = length;
  for (const step of steps) {
    if (left < 0) break;
    const text = wordsOf(step, words.length);
    words.push(text);
    left -= text.length;
  }
  return words;
}

/** The path of a member of `path`; '' for the root. */
export function pathBelow(path: string, key: string): string {
  return shortPath(path === '' ? shortText(key) : `${path}.${shortText(key)}`);
}

/** A copy of a text: slices of V8 retain the whole original text. */
function separate(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
