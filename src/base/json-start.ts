/** The beginning of a value's JSON, for messages: what is not shown is not written first. */

/**
 * JSON text of a value, written only until it is longer than `most` characters; shorter text is the whole of it.
 * A value of megabytes costs no more than a small one, save for the keys of a large map.
 */
export function jsonStart(value: unknown, most: number): string {
  // Escapes make text longer, and what is cut away need not be escaped first.
  if (typeof value === 'string') return JSON.stringify(textStart(value, most + 1));
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null || writesItself(value)) return JSON.stringify(value);
  return Array.isArray(value) ? listStart(value, most) : objectStart(value, most);
}

/** Raw numbers, dates. */
function writesItself(value: object): boolean {
  return JSON.isRawJSON(value) || typeof (value as { toJSON?: unknown }).toJSON === 'function';
}

function listStart(list: readonly unknown[], most: number): string {
  let text = '[';
  for (const item of list) {
    if (text.length > most) return text;
    if (text.length > 1) text += ',';
    text += jsonStart(item, most - text.length);
  }
  return `${text}]`;
}

function objectStart(object: object, most: number): string {
  let text = '{';
  for (const key of Object.keys(object)) {
    if (text.length > most) return text;
    const member: unknown = (object as Record<string, unknown>)[key];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += `${jsonStart(key, most - text.length)}:`;
    text += jsonStart(member, most - text.length);
  }
  return `${text}}`;
}

/** At most so many characters from the beginning of a text, and not half of a character at the end. */
export function textStart(text: string, length: number): string {
  const isSplit = length < text.length && /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isSplit ? length - 1 : length);
}
