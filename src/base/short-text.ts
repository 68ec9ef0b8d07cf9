/**
 * What clients sent, as messages repeat it. It may be megabytes long, stand in many messages at once, and hold what was
 * meant for other eyes; messages go to clients, to logs and into the audit trail.
 */
import { jsonStart, textStart } from './json-start.ts';

const maxQuoted = 500;
const maxPath = 1_000;
const pathHead = 600;

/** The beginning of a text, and a sign where there was more. */
export function shortText(text: string, most = maxQuoted): string {
  return text.length > most ? separate(`${textStart(text, most)}…`) : text;
}

/** A value as JSON, cut short; what is cut away is not written first. */
export function quoted(value: unknown): string {
  return shortText(jsonStart(value, maxQuoted));
}

/** The way to a field: where it is long, its beginning and its end. */
export function shortPath(text: string): string {
  if (text.length <= maxPath) return text;
  return separate(`${textStart(text, pathHead)}…${text.slice(pathHead - maxPath)}`);
}

/** The way to a member of what `path` leads to; '': the member is at the top. */
export function pathBelow(path: string, key: string): string {
  return shortPath(path === '' ? shortText(key) : `${path}.${shortText(key)}`);
}

/** A text with memory of its own: the engine's slices keep alive the whole text that they were cut from. */
function separate(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
