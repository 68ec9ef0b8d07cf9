/** Warning headers (RFC 7234, section 5.5): what an answer tells people beside what was asked for. */

/** Many clients take no more than 16 KiB of headers; warnings have a quarter of that. */
const maxTotal = 4_096;
/** Each is cut to this once all of them together are too long. */
const maxCrowded = 256;

/** The values of the headers, in order; those that find no room are left out. */
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

/** By whole characters. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('');
}

/** `299 - "text"`, quotes escaped; beyond ASCII as encoded words (RFC 2047), which clients decode. */
function warningValue(text: string): string {
  const isAscii = /^[\u0020-\u007e]*$/.test(text);
  return `299 - "${isAscii ? text.replace(/[\\"]/g, '\\$&') : encodedWords(text)}"`;
}

/** An encoded word has at most 75 characters, 12 of which are `=?utf-8?q?` and `?=`. */
const maxWordText = 63;

/** Several words stand for their texts without the space between them. */
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
