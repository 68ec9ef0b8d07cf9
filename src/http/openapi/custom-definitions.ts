/** OpenAPI definitions of custom resources, from their own schemas. */
import type { Slice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import { schemaExtension } from '../../meta/naming.ts';
import type { ServedResource } from '../../registry/types.ts';
import { definitionName } from '../../schema/openapi/definition-names.ts';

/** Types of the catalogue that every custom resource refers to. */
export const customReferences = ['meta/v1.ObjectMeta', 'meta/v1.ListMeta'];

/** The types of a custom resource's objects and lists, by the names of their definitions; none for a built-in one. */
export async function customDefinitions(
  resource: ServedResource,
  version: 2 | 3,
  slice: Slice,
): Promise<JsonObject> {
  const { description, gvk, listKind, naming } = resource;
  if (!description) return {};
  const reference = (type: string): JsonObject => {
    const name = definitionName(type, naming);
    return version === 2
      ? { $ref: `#/definitions/${name}` }
      : { allOf: [{ $ref: `#/components/schemas/${name}` }] };
  };
  const { group, version: ownVersion } = gvk;
  const definitions = Object.entries(await description.define(version, reference, () => slice.breathe()));
  const named = definitions.map(([type, definition]): [string, JsonObject] => {
    const kind = type === description.list ? listKind : gvk.kind;
    const kinds = schemaExtension(naming, 'group-version-kind', [{ group, kind, version: ownVersion }]);
    return [definitionName(type, naming), { ...definition, ...kinds }];
  });
  return Object.fromEntries(named);
}
