/** Large documents in Protobuf, member by member, with turns for others in between. */
import type { JsonObject } from '../../../base/json.ts';
import type { Slice } from '../../../base/cooperate.ts';
import type { FieldWriter } from './message.ts';
import { bodyBytes, fieldBytes, fieldHead } from './message.ts';
import { definitionsV2, headV2, pathsV2 } from './v2.ts';
import { componentsV3, headV3, pathsV3, schemasV3 } from './v3.ts';

/** How the members of an object are written: as fields of number `entry` in a field of number `number`. */
export interface NamedMembers {
  readonly number: number;
  readonly entry: number;
  readonly write: FieldWriter;
}

export async function encodeMembers(
  object: JsonObject,
  { entry, write }: NamedMembers,
  slice: Slice,
): Promise<Buffer[]> {
  const encoded: Buffer[] = [];
  for (const [name, member] of Object.entries(object)) {
    encoded.push(fieldBytes(write, entry, { [name]: member }));
    if (slice.shouldYield()) await slice.yieldNow();
  }
  return encoded;
}

/** A document of version 2 from its head and what `encodeMembers` made of its paths and definitions. */
export function assembleV2(
  head: JsonObject,
  paths: readonly Buffer[],
  definitions: readonly Buffer[],
): Buffer {
  return Buffer.concat([
    bodyBytes(headV2, head),
    ...whole(pathsV2.number, paths),
    ...whole(definitionsV2.number, definitions),
  ]);
}

/** A document of version 3. */
export async function encodeV3(document: JsonObject, slice: Slice): Promise<Buffer> {
  const { paths, components, ...head } = document;
  const { schemas, ...otherComponents } = components as JsonObject;
  const encodedPaths = await encodeMembers(paths as JsonObject, pathsV3, slice);
  const encodedSchemas = await encodeMembers(schemas as JsonObject, schemasV3, slice);
  return Buffer.concat([
    bodyBytes(headV3, head),
    ...whole(pathsV3.number, encodedPaths),
    ...whole(componentsV3.number, [
      bodyBytes(componentsV3.body, otherComponents),
      ...whole(schemasV3.number, encodedSchemas),
    ]),
  ]);
}

/** A field whose content is these buffers. */
function whole(number: number, content: readonly Buffer[]): Buffer[] {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return [fieldHead(number, length), ...content];
}
