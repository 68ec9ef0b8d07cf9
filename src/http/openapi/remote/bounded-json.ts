/** JSON of other servers, of as many values as a heap has room for. */
import { decodeJson } from '../../../codec/decode-json.ts';

/**
 * Values of a document: each takes up to 100 bytes of the heap, and a heap that a single step takes beyond its limit ends
 * the whole process.
 */
export const mostValues = 500_000;

/** @throws DecodeError, and Error for a document of too many values */
export function parse(bytes: Uint8Array): ReturnType<typeof decodeJson>['value'] {
  if (valuesIn(bytes) > mostValues) throw new Error(`more than ${String(mostValues)} values`);
  return decodeJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).value;
}

/** Not less than there are: each comes first in something, or after a comma. */
export function valuesIn(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === comma || byte === openBrace || byte === openBracket) count += 1;
  return count;
}

const [comma, openBrace, openBracket] = [0x2c, 0x7b, 0x5b];
