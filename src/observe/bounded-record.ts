/**
 * Log records that fit into one write to a pipe. A longer line is taken by a full pipe in parts, and lines of other
 * processes and threads come between: neither would be JSON any more.
 */
import { textStart } from '../base/json-start.ts';

/** Longest text in a record that is shortened, at first; half of it as long as the record does not fit. */
const longestText = 1_024;
const shortestText = 16;
/** Items of a list and members of a map, for each character of the longest text. */
const itemsPerCharacter = 1 / 16;

/**
 * The record as it is if it has at most so many bytes. Otherwise its texts, lists and maps are shortened until it has, and
 * `shortenedFrom` tells its bytes.
 * @param record a line of JSON, with its end
 */
export function boundedRecord(record: string, mostBytes: number): string {
  if (fits(record, mostBytes)) return record;
  const shortenedFrom = Buffer.byteLength(record);
  // The message is the last member.
  let { msg, ...fields } = JSON.parse(record) as Record<string, unknown>;
  for (let longest = longestText; longest >= shortestText; longest /= 2) {
    fields = shortened(fields, longest) as Record<string, unknown>;
    msg = shortened(msg, longest);
    const line = lineOf({ ...fields, shortenedFrom, msg });
    if (fits(line, mostBytes)) return line;
  }
  const { level, time } = fields;
  return lineOf({ level, time, shortenedFrom, msg });
}

/** A line of text, cut where it does not fit. */
export function boundedLine(line: string, mostBytes: number): string {
  if (fits(line, mostBytes)) return line;
  const end = '…\n';
  const start = Buffer.from(line).subarray(0, mostBytes - Buffer.byteLength(end));
  // A character that was cut in the middle is dropped.
  return new TextDecoder().decode(start, { stream: true }) + end;
}

function fits(line: string, mostBytes: number): boolean {
  return line.length * 3 <= mostBytes || Buffer.byteLength(line) <= mostBytes;
}

function lineOf(record: Record<string, unknown>): string {
  return `${JSON.stringify(record)}\n`;
}

function shortened(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length > longest ? `${textStart(value, longest)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  const most = longest * itemsPerCharacter;
  if (Array.isArray(value)) {
    const items = value.slice(0, most).map((item) => shortened(item, longest));
    return value.length > most ? [...items, '…'] : items;
  }
  const members = Object.entries(value);
  const kept = members.slice(0, Math.max(most, leastMembers)).map(([key, member]) => {
    return [textStart(key, longest), shortened(member, longest)] as const;
  });
  return Object.fromEntries(members.length > kept.length ? [...kept, ['…', '…']] : kept);
}

/** Level, time, component and the like stay. */
const leastMembers = 16;
