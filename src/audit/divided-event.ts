/** Events whose bodies stay text: they may be megabytes, and to parse a megabyte of short members takes 20 to 100 ms. */
import type { JsonObject } from '../base/json.ts';
import type { AuditLine } from './types.ts';

export interface DividedEvent {
  /** All but the bodies. */
  readonly event: JsonObject;
  /** The members `requestObject` and `responseObject` as JSON text, without braces; '' for none. */
  readonly bodies: string;
}

const ofBodies = ['"requestObject":', '"responseObject":'];

/** Parses an event as `auditLine` makes it, but for its bodies. */
export function dividedEvent(line: AuditLine): DividedEvent {
  const bodies: string[] = [];
  const others: string[] = [];
  for (const member of membersOf(line))
    (ofBodies.some((name) => member.startsWith(name)) ? bodies : others).push(member);
  return { event: JSON.parse(`{${others.join(',')}}`) as JsonObject, bodies: bodies.join(',') };
}

/** The line of an event and bodies. */
export function joinedEvent({ event, bodies }: DividedEvent): AuditLine {
  const line = JSON.stringify(event);
  return bodies === '' ? line : `${line.slice(0, -1)},${bodies}}`;
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The texts of the members of an object. */
function* membersOf(json: string): Generator<string, void, undefined> {
  let depth = 0;
  let start = 1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at);
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) depth -= 1;
    const isEnd = depth === 0 || (depth === 1 && code === comma);
    if (!isEnd) continue;
    yield json.slice(start, at);
    start = at + 1;
  }
}

/** Where the text that begins here ends. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}
