/**
 * Indented JSON that stays in proportion to what it says: below 900 levels 1.4 MB of short members would become 215 MB, which
 * wait in memory for each client that reads slowly.
 */
import { isObject, type JsonValue } from '../base/json.ts';
import { areMostlySpaces, jsonInSteps } from './json-in-steps.ts';

const spacesOfLevel = 2;

/** The text that `JSON.stringify(value, undefined, 2)` gives, with fewer spaces where they are by far the most of it. */
export function indentedJson(value: JsonValue): string {
  const spaces = spacesBelow(value, spacesOfLevel);
  return areMostlySpaces(spaces, () => JSON.stringify(value).length)
    ? [...jsonInSteps(value, spacesOfLevel)].join('')
    : JSON.stringify(value, undefined, spacesOfLevel);
}

/** Spaces in front of members and items. @param indent of those of the value itself */
function spacesBelow(value: JsonValue, indent: number): number {
  let spaces = 0;
  if (Array.isArray(value))
    for (const item of value) spaces += indent + spacesBelow(item ?? null, indent + spacesOfLevel);
  else if (isObject(value))
    for (const name of Object.keys(value))
      spaces += indent + spacesBelow(value[name] ?? null, indent + spacesOfLevel);
  return spaces;
}
