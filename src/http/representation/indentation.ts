/** What indentation adds to the JSON of an object: of members that lie deep, each line begins with hundreds of spaces. */
import type { Entry } from '../../storage/types.ts';

/** Indented forms of more spaces take over five milliseconds. */
const manySpaces = 1024 * 1024;
/** No smaller object comes to that: half of it opens a thousand levels, the other half has a member in every two bytes. */
const leastBytes = 4 * 1024;
const spacesOfLevel = 2;

const indented = new WeakMap<Entry, boolean>();

/** Whether an indented form of an entry is much larger than what is stored. Looks at each byte, once for an entry. */
export function isDeep(entry: Entry): boolean {
  const { bytes } = entry;
  if (bytes.length < leastBytes) return false;
  const known = indented.get(entry);
  if (known !== undefined) return known;
  const isMuch = spacesOf(bytes) > manySpaces;
  indented.set(entry, isMuch);
  return isMuch;
}

/** Spaces before the members of JSON without any. */
function spacesOf(json: Buffer): number {
  let [spaces, depth] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfText(json, at);
    else if (byte === openingBrace || byte === openingBracket) spaces += spacesOfLevel * ++depth;
    else if (byte === closingBrace || byte === closingBracket) depth -= 1;
    else if (byte === comma) spaces += spacesOfLevel * depth;
  }
  return spaces;
}

/** Where the text that begins here ends. */
function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openingBrace, closingBrace, openingBracket, closingBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
