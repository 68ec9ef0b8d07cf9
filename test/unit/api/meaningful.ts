/**
 * What of random objects could not be written by anybody: both of two alternatives, annotations that only conversions
 * write. Kinds whose versions have the same shape need nothing.
 */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import type { StructSchema } from '../../../src/schema/types.ts';

type Shaper = (object: JsonObject, schema: StructSchema) => JsonObject;

/** By group, version and kind of the version that is tested; the object may be of it or of the stored one. */
const shapers: Readonly<Record<string, Shaper>> = {};

export function meaningful({ gvk }: ServedResource, schema: StructSchema, object: JsonObject): JsonObject {
  return shapers[`${gvk.group}/${gvk.version} ${gvk.kind}`]?.(object, schema) ?? object;
}
