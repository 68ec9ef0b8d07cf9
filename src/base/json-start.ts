/** The beginning of the JSON of a value, for messages, without serializing the rest. */

/**
 * JSON text of a value, serialized only until it exceeds `most` characters; shorter text is complete. Large values
 * cost no more than small ones, except for the keys of a large map.
 */
export function jsonStart(value: unknown, most: number): string {
  // Escapes only lengthen text, so it can be cut first.
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

/** The first characters of a text, without splitting a surrogate pair. */
export function textStart(text: string, length: number): string {
  const isSplit = length < text.length && /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isSplit ? length - 1 : length);
}
