/**
 * Log records as lines of text, as klog writes structured records: severity, local time, process, place, message and
 * key/value pairs. The place is the component, since records do not know a line of the program.
 */

const severities: Readonly<Record<string, string>> = { debug: 'I', info: 'I', warn: 'W', error: 'E' };
const pidWidth = 7;

interface SerializedError {
  readonly message?: unknown;
  readonly stack?: unknown;
}

/** @param record a record as one line of JSON, its credentials removed */
export function klogLine(record: string): string {
  const { level, time, msg, component, err, ...fields } = JSON.parse(record) as Record<string, unknown>;
  const at = new Date(String(time));
  const date = `${padded(at.getMonth() + 1)}${padded(at.getDate())}`;
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => padded(part)).join(':');
  const micros = `${padded(at.getMilliseconds(), 3)}000`;
  const head = `${severities[String(level)] ?? 'I'}${date} ${clock}.${micros}`;
  const place = typeof component === 'string' ? component : 'orch-apiserver';
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${textOf(value)}`);
  const words = [JSON.stringify(String(msg)), ...errorPairs(err), ...pairs];
  return `${head} ${String(process.pid).padStart(pidWidth)} ${place}] ${words.join(' ')}\n`;
}

function padded(part: number, width = 2): string {
  return String(part).padStart(width, '0');
}

function errorPairs(err: unknown): string[] {
  if (err === undefined) return [];
  if (typeof err !== 'object' || err === null) return [`err=${textOf(err)}`];
  const { message, stack } = err as SerializedError;
  return [`err=${textOf(message)}`, ...(stack === undefined ? [] : [`stack=${textOf(stack)}`])];
}

/** Strings in quotes, so that no value begins a new line; the rest as JSON. */
function textOf(value: unknown): string {
  return JSON.stringify(value);
}
