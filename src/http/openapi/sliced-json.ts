/** Encodes the members of large documents as JSON, in slices that yield to the event loop, and puts them together. */
import type { Slice } from '../../base/cooperate.ts';
import { isSmall } from '../../base/is-small.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { jsonInSteps } from '../../codec/json-in-steps.ts';
import { concatSliced } from '../concat-sliced.ts';
import type { HeadV3 } from './render-v3.ts';

/** Members of a value that is encoded at once, in about half a millisecond. */
const mostAtOnce = 2_000;

/** Encoded members of a document, several in each: buffers, or what stands for bytes that are elsewhere. */
export interface EncodedMembers<T> {
  readonly paths: readonly T[];
  readonly definitions: readonly T[];
}

/** Each member of an object as `"name":value`. */
export async function encodeMembers(object: JsonObject, slice: Slice): Promise<Buffer[]> {
  const members: Buffer[] = [];
  for (const [name, member = null] of Object.entries(object)) {
    members.push(await encodeMember(name, member, slice));
    await slice.breathe();
  }
  return members;
}

async function encodeMember(name: string, member: JsonValue, slice: Slice): Promise<Buffer> {
  const opening = `${JSON.stringify(name)}:`;
  if (isSmall(member, mostAtOnce)) return Buffer.from(opening + JSON.stringify(member));
  const parts = [Buffer.from(opening)];
  for (const piece of jsonInSteps(member)) {
    parts.push(Buffer.from(piece));
    await slice.breathe();
  }
  return concatSliced(parts, slice);
}

/** Several members as one buffer. */
export function joinedMembers(members: readonly Buffer[], slice: Slice): Promise<Buffer> {
  return concatSliced(separated(members), slice);
}

/** The document of version 2, in parts, from its head and the encoded members of its paths and definitions. */
export function joinedV2<T>(head: JsonObject, { paths, definitions }: EncodedMembers<T>): (T | Buffer)[] {
  const opening = JSON.stringify(head).slice(0, -1);
  return [
    Buffer.from(`${opening},"paths":{`),
    ...separated(paths),
    Buffer.from('},"definitions":{'),
    ...separated(definitions),
    Buffer.from('}}'),
  ];
}

/** A document of version 3, in parts. */
export function joinedV3<T>(
  { openapi, info, components, security }: HeadV3,
  { paths, definitions }: EncodedMembers<T>,
): (T | Buffer)[] {
  const opening = JSON.stringify({ openapi, info }).slice(0, -1);
  return [
    Buffer.from(`${opening},"paths":{`),
    ...separated(paths),
    Buffer.from('},"components":{"schemas":{'),
    ...separated(definitions),
    Buffer.from(`},${JSON.stringify(components).slice(1)},${JSON.stringify({ security }).slice(1)}`),
  ];
}

/** What stands between members. */
export const comma = Buffer.from(',');

function separated<T>(members: readonly T[]): (T | Buffer)[] {
  return members.flatMap((member, index) => (index === 0 ? [member] : [comma, member]));
}
