/** Several JSON objects one behind the other, as command lines write them: no document of YAML, yet taken by clients. */
import type { JsonValue } from '../base/json.ts';
import { DecodeError } from './decode-error.ts';
import { quote, stringEnd } from './json-bytes.ts';
import { decodeJson } from './decode-json.ts';

const opening = 0x7b;
const closing = 0x7d;
const space = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Decodes all of them, with nothing but white space between. @throws DecodeError for anything else */
export function decodeJsonDocuments(bytes: Buffer): JsonValue[] {
  const documents: JsonValue[] = [];
  for (let at = skipSpace(bytes, 0); at < bytes.length;) {
    if (bytes[at] !== opening) throw new DecodeError('invalid JSON: an object is expected');
    const end = endOfObject(bytes, at);
    documents.push(decodeJson(bytes.subarray(at, end)).value);
    at = skipSpace(bytes, end);
  }
  return documents;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (space.has(bytes[at] ?? 0)) at += 1;
  return at;
}

/** Behind the brace that closes the object; the end of the text when there is none. */
function endOfObject(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = stringEnd(bytes, at);
    else if (byte === opening) depth += 1;
    else if (byte === closing) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return bytes.length;
}
