/** The stored text of large objects in steps: JSON.stringify takes tens of milliseconds for some megabytes. */
import type { JsonObject } from '../base/json.ts';
import { jsonInSteps } from './json-in-steps.ts';
import { storedText } from './stored.ts';

/** The bytes that `encodeStored` gives. */
export function* encodeStoredInSteps(object: JsonObject): Generator<void, Buffer, void> {
  const { kind, apiVersion, metadata, status, ...rest } = object;
  const head = storedText({
    ...(kind !== undefined && { kind }),
    ...(apiVersion !== undefined && { apiVersion }),
    ...(metadata !== undefined && { metadata }),
  }).slice(0, -1);
  const others = yield* membersInSteps(rest);
  const last = yield* membersInSteps(status === undefined ? {} : { status });
  return Buffer.from(`${[head, others, last].filter((text) => text !== '').join(',')}}`);
}

/** Members without the braces. */
function* membersInSteps(object: JsonObject): Generator<void, string, void> {
  const pieces: string[] = [];
  for (const piece of jsonInSteps(object)) {
    pieces.push(piece);
    yield;
  }
  return pieces.join('').slice(1, -1);
}
