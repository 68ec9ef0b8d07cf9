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
  let head = '';
  let count = 0;
  for (const step of steps) {
    if (head.length > pathHead) break;
    head += wordsOf(step, count === 0);
    count += 1;
  }
  let tail = '';
  for (const step of steps.slice(count).reverse()) {
    if (tail.length > maxPath - pathHead) break;
    tail = wordsOf(step, false) + tail;
  }
  // What lies between is left out only where both ends together are too long.
  return shortPath(head + tail);
}

/** The path of a member of `path`; '' for the root. */
export function pathBelow(path: string, key: string): string {
  return shortPath(path === '' ? shortText(key) : `${path}.${shortText(key)}`);
}

/** A copy of a text: slices of V8 retain the whole original text. */
function separate(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
