/** Encodes large documents as JSON in slices that yield to the event loop. */
import type { Slice } from '../../base/cooperate.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';

/** Characters encoded at once, in about 0.1 ms. */
const pieceLength = 64 * 1024;

/** The bytes of `JSON.stringify(document)`; members down to `depth` levels are encoded separately. */
export async function encodeSliced(document: JsonObject, depth: number, slice: Slice): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of partsOf(document, depth)) {
    text += part;
    if (text.length < pieceLength && !slice.shouldYield()) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await slice.breathe();
  }
  return Buffer.concat([...pieces, Buffer.from(text)]);
}

function* partsOf(value: JsonValue, depth: number): Iterable<string> {
  if (depth === 0 || !isObject(value)) {
    yield JSON.stringify(value);
    return;
  }
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(member, depth - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** Each member of an object as `"name":value`. */
export async function encodeMembers(object: JsonObject, slice: Slice): Promise<Buffer[]> {
  const members: Buffer[] = [];
  for (const [name, member] of Object.entries(object)) {
    members.push(Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(member)}`));
    await slice.breathe();
  }
  return members;
}

/** The document of version 2 from its head and the encoded members of its paths and definitions. */
export async function joinedV2(
  head: JsonObject,
  { paths, definitions }: { readonly paths: readonly Buffer[]; readonly definitions: readonly Buffer[] },
  slice: Slice,
): Promise<Buffer> {
  const opening = JSON.stringify(head).slice(0, -1);
  await slice.breathe();
  return Buffer.concat([
    Buffer.from(`${opening},"paths":{`),
    ...separated(paths),
    Buffer.from('},"definitions":{'),
    ...separated(definitions),
    Buffer.from('}}'),
  ]);
}

const comma = Buffer.from(',');

function separated(members: readonly Buffer[]): Buffer[] {
  return members.flatMap((member, index) => (index === 0 ? [member] : [comma, member]));
}
