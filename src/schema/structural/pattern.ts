/** Patterns of custom resources: they come from users, so a linear-time engine evaluates them. */
import { RE2JS } from 're2js';

const known = new Map<string, RE2JS | undefined>();
const maxKnown = 2_000;

/** The compiled pattern; undefined when it is none. Matches anywhere in a text, as JSON schema says. */
export function patternOf(text: string): RE2JS | undefined {
  if (known.has(text)) return known.get(text);
  const compiled = compile(text);
  if (known.size >= maxKnown) known.clear();
  known.set(text, compiled);
  return compiled;
}

/** Whether the pattern needs no compilation, which takes a thousand times as long as a match. */
export function isKnownPattern(text: string): boolean {
  return known.has(text);
}

function compile(text: string): RE2JS | undefined {
  try {
    return RE2JS.compile(text);
  } catch {
    return undefined;
  }
}
