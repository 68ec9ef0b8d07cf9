/** An event as one line of words, the form of logs before JSON (`--audit-log-format=legacy`). */
import { isObject, textOf, type JsonObject } from '../base/json.ts';
import { dividedEvent } from './divided-event.ts';
import type { AuditLine } from './types.ts';

const none = '<none>';

export function legacyLine(line: AuditLine): AuditLine {
  const { event } = dividedEvent(line);
  const user = member(event, 'user');
  const impersonated = member(event, 'impersonatedUser');
  const { code } = member(event, 'responseStatus');
  const words: readonly (readonly [string, string])[] = [
    ['id', quoted(textOf(event['auditID']))],
    ['stage', quoted(textOf(event['stage']))],
    ['ip', quoted(texts(event['sourceIPs'])[0] ?? '')],
    ['method', quoted(textOf(event['verb']))],
    ['user', quoted(textOf(user['username']) || none)],
    ['groups', list(user['groups'])],
    ['as', quoted(textOf(impersonated['username']) || '<self>')],
    ['asgroups', list(impersonated['groups'], '<lookup>')],
    ['user-agent', quoted(textOf(event['userAgent']))],
    ['namespace', quoted(textOf(member(event, 'objectRef')['namespace']) || none)],
    ['uri', quoted(textOf(event['requestURI']))],
    ['response', quoted(typeof code === 'number' ? String(code) : '<deferred>')],
  ];
  const shownText = words.map(([name, value]) => `${name}=${value}`).join(' ');
  return `${textOf(event['requestReceivedTimestamp'])} AUDIT: ${shownText}`;
}

/** Line ends, too: an event stays one line whatever a client sends. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function list(value: unknown, otherwise = none): string {
  const items = texts(value);
  return items.length === 0 ? quoted(otherwise) : items.map(quoted).join(',');
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function member(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}
