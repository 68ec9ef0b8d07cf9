/** Warning headers (RFC 7234, section 5.5) of a response. */

/** Many clients accept at most 16 KiB of headers; warnings may use a quarter. */
const maxTotal = 4_096;
/** Each warning is cut to this length if the total is too long. */
const maxCrowded = 256;

/** The header values, in order; those that exceed the limit are omitted. */
export function warningValues(warnings: readonly string[]): string[] {
  const clean = warnings.map(withoutControls);
  const isCrowded = clean.reduce((sum, text) => sum + text.length, 0) > maxTotal;
  const values: string[] = [];
  let total = 0;
  for (const text of new Set(isCrowded ? clean.map((long) => cut(long, maxCrowded)) : clean)) {
    const value = warningValue(text);
    total += value.length;
    if (total > 2 * maxTotal) break;
    values.push(value);
  }
  return values;
}

function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** Cuts at a character boundary. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('');
}

/** `299 - "text"`, quotes escaped; non-ASCII text as encoded words (RFC 2047). */
function warningValue(text: string): string {
  const isAscii = /^[\u0020-\u007e]*$/.test(text);
  return `299 - "${isAscii ? text.replace(/[\\"]/g, '\\$&') : encodedWords(text)}"`;
}

/** An encoded word has at most 75 characters, 12 of which are `=?utf-8?q?` and `?=`. */
const maxWordText = 63;

/** The spaces between adjacent encoded words are not part of the text. */
function encodedWords(text: string): string {
  const words: string[] = [''];
  for (const character of text) {
    const encoded = encodedCharacter(character);
    const last = words.at(-1) ?? '';
    if (last.length + encoded.length <= maxWordText) words[words.length - 1] = last + encoded;
    else words.push(encoded);
  }
  return words.map((word) => `=?utf-8?q?${word}?=`).join(' ');
}

function encodedCharacter(character: string): string {
  if (character === ' ') return '_';
  if (/^[A-Za-z0-9!*+\-/.:,;]$/.test(character)) return character;
  return [...Buffer.from(character)]
    .map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
