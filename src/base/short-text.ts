/**
 * What clients sent, as messages repeat it. It may be megabytes long, stand in many messages at once, and hold what was
 * meant for other eyes; messages go to clients, to logs and into the audit trail.
 */

const maxQuoted = 500;
const maxPath = 1_000;
const pathHead = 600;

/** The beginning of a text, and a sign where there was more. */
export function shortText(text: string, most = maxQuoted): string {
  return text.length > most ? `${begin(text, most)}…` : text;
}

/** A value as JSON, cut short. */
export function quoted(value: unknown): string {
  // Escapes make text longer, and what is cut away need not be escaped first.
  const text =
    typeof value === 'string' ? JSON.stringify(begin(value, maxQuoted + 1)) : JSON.stringify(value);
  return shortText(text);
}

/** The way to a field: where it is long, its beginning and its end. */
export function shortPath(text: string): string {
  return text.length > maxPath ? `${begin(text, pathHead)}…${text.slice(pathHead - maxPath)}` : text;
}

/** The way to a member of what `path` leads to; '': the member is at the top. */
export function pathBelow(path: string, key: string): string {
  return shortPath(path === '' ? shortText(key) : `${path}.${shortText(key)}`);
}

/** Not half of a character. */
function begin(text: string, length: number): string {
  const isSplit = length < text.length && /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isSplit ? length - 1 : length);
}
