/** Encodes OpenAPI documents in Protobuf in slices that yield to the event loop. */
import { join } from 'node:path';
import type { Slice } from '../../../base/cooperate.ts';
import type { JsonObject } from '../../../base/json.ts';
import { concatSliced } from '../../concat-sliced.ts';
import type { EncodedMembers } from '../sliced-json.ts';
import { OpenApiMessages, type Sized } from './openapi-messages.ts';

const v2 = messagesOf('openapi-v2.proto', 'openapi/v2');
const v3 = messagesOf('openapi-v3.proto', 'openapi/v3');

/** Loaded at first use: most clients request JSON. */
function messagesOf(file: string, packageName: string): () => OpenApiMessages {
  let messages: OpenApiMessages | undefined;
  return () => (messages ??= new OpenApiMessages(join(import.meta.dirname, file), packageName));
}

/** Paths of a document of version 2. */
export function encodePathsV2(paths: JsonObject, slice: Slice): Promise<Buffer[]> {
  return encodeMembers(v2(), 'Paths', paths, slice);
}

/** Definitions of a document of version 2. */
export function encodeDefinitionsV2(definitions: JsonObject, slice: Slice): Promise<Buffer[]> {
  return encodeMembers(v2(), 'Definitions', definitions, slice);
}

/** The document of version 2, in parts, from its head and the encoded members of its paths and definitions. */
export function assembleV2<T extends Sized>(
  head: JsonObject,
  { paths, definitions }: EncodedMembers<T>,
): (T | Buffer)[] {
  return [
    v2().encode('Document', head),
    ...v2().around('Document', 'paths', paths),
    ...v2().around('Document', 'definitions', definitions),
  ];
}

/** Paths of a document of version 3. */
export function encodePathsV3(paths: JsonObject, slice: Slice): Promise<Buffer[]> {
  return encodeMembers(v3(), 'Paths', paths, slice);
}

/** Schemas of a document of version 3. */
export function encodeSchemasV3(schemas: JsonObject, slice: Slice): Promise<Buffer[]> {
  return encodeMembers(v3(), 'SchemasOrReferences', schemas, slice);
}

/** A document of version 3. */
export async function encodeV3(document: JsonObject, slice: Slice): Promise<Buffer> {
  const { paths, components, ...head } = document;
  const { schemas, ...otherComponents } = components as JsonObject;
  const members = {
    paths: await encodePathsV3(paths as JsonObject, slice),
    definitions: await encodeSchemasV3(schemas as JsonObject, slice),
  };
  return concatSliced(assembleV3({ ...head, components: otherComponents }, members), slice);
}

/** The document of version 3, in parts, from its head and the encoded members of its paths and schemas. */
export function assembleV3<T extends Sized>(
  { components, ...head }: JsonObject,
  { paths, definitions }: EncodedMembers<T>,
): (T | Buffer)[] {
  return [
    v3().encode('Document', head),
    ...v3().around('Document', 'paths', paths),
    ...v3().around('Document', 'components', [
      v3().encode('Components', components ?? {}),
      ...v3().around('Components', 'schemas', definitions),
    ]),
  ];
}

async function encodeMembers(
  messages: OpenApiMessages,
  message: string,
  object: JsonObject,
  slice: Slice,
): Promise<Buffer[]> {
  const encoded: Buffer[] = [];
  for (const [name, member] of Object.entries(object)) {
    const steps = messages.encodeInSteps(message, { [name]: member });
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) if (slice.shouldYield()) await slice.yieldNow();
    encoded.push(step.value);
    if (slice.shouldYield()) await slice.yieldNow();
  }
  return encoded;
}
