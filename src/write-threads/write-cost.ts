/**
 * What a write costs, in bytes of an ordinary body. Each member is validated, compared and owned by itself: a body of
 * thousands of short ones takes several times as long as one of the same length with few.
 */
import { memberBytes } from '../http/writes/decoded-weight.ts';
import type { WriteRequest } from '../http/writes/write-request.ts';

/** YAML takes many times as long to read as JSON of the same length: 64 KiB up to 15 ms. */
const yamlFactor = 4;

/** For each of an applied configuration, which may be in YAML: its fields are owned one by one. */
const appliedBytes = 40;

export type CountedWrite = Pick<WriteRequest, 'operation' | 'body' | 'contentType'>;

const [comma, newLine, openBracket] = [0x2c, 0x0a, 0x5b];

/**
 * Whether a body costs more than `limit`. Nearly all bodies are so short that their members need not be counted: they
 * would be within it if each byte began one.
 */
export function costsMoreThan(write: CountedWrite, limit: number): boolean {
  if (write.body.length * (1 + appliedBytes) <= limit) return false;
  return costOfBody(write, limit) > limit;
}

/**
 * The cost of a body; counting ends beyond `limit`. Members are counted by what separates them in JSON and YAML, and by
 * lists that begin: those in keys of managed fields, where one byte is one, take 400 ns each, 24 ms for 51 KB of them.
 * Those of Protobuf, and what aliases of YAML copy, are counted once they are decoded.
 */
export function costOfBody({ operation, body, contentType }: CountedWrite, limit: number): number {
  const isApplied = operation === 'apply' || operation === 'applyScale';
  const isYaml = /yaml/i.test(contentType ?? '');
  if (body.length > limit) return body.length;
  const each = isApplied ? appliedBytes : memberBytes;
  let cost =
    isYaml && body.length * yamlFactor > limit && !isJson(body) ? body.length * yamlFactor : body.length;
  for (const sign of isApplied || isYaml ? [comma, openBracket, newLine] : [comma, openBracket])
    for (let at = body.indexOf(sign); at !== -1 && cost <= limit; at = body.indexOf(sign, at + 1))
      cost += each;
  return cost;
}

const openBrace = 0x7b;

/** Most of what is sent as YAML is JSON. To parse what fits into the limit takes less than a millisecond. */
function isJson(body: Buffer): boolean {
  if (body[0] !== openBrace) return false;
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}
