/**
 * What a write costs, in bytes of an ordinary body. Each member is validated, compared and owned by itself: a body of
 * thousands of short ones takes several times as long as one of the same length with few.
 */
import type { WriteRequest } from '../http/writes/write-request.ts';

/** Added for each member. */
const memberBytes = 16;
/** For each of an applied configuration, which may be in YAML: its fields are owned one by one. */
const appliedBytes = 40;

const [comma, newLine] = [0x2c, 0x0a];

/**
 * The cost of a body; counting ends beyond `limit`. Members are counted by what separates them in JSON, and in a configuration
 * in YAML; in Protobuf they are not counted.
 */
export function costOfBody(
  { operation, body }: Pick<WriteRequest, 'operation' | 'body'>,
  limit: number,
): number {
  const isApplied = operation === 'apply' || operation === 'applyScale';
  const each = isApplied ? appliedBytes : memberBytes;
  let cost = body.length;
  for (const separator of isApplied ? [comma, newLine] : [comma])
    for (let at = body.indexOf(separator); at !== -1 && cost <= limit; at = body.indexOf(separator, at + 1))
      cost += each;
  return cost;
}
