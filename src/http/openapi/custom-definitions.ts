/** OpenAPI definitions of custom resources, which describe themselves. */
import type { JsonObject } from '../../base/json.ts';
import { schemaExtension } from '../../meta/naming.ts';
import type { ServedResource } from '../../registry/types.ts';
import { definitionName } from '../../schema/openapi/definition-names.ts';

/** Types of the catalogue that every custom resource refers to. */
export const customReferences = ['meta/v1.ObjectMeta', 'meta/v1.ListMeta'];

/** Objects and lists of the resources, by the names of their definitions. */
export function customDefinitions(resources: readonly ServedResource[], version: 2 | 3): JsonObject {
  return Object.fromEntries(resources.flatMap((resource) => definitionsOf(resource, version)));
}

function definitionsOf(resource: ServedResource, version: 2 | 3): [string, JsonObject][] {
  const { description, gvk, listKind, naming } = resource;
  if (!description) return [];
  const reference = (type: string): JsonObject => {
    const name = definitionName(type, naming);
    return version === 2
      ? { $ref: `#/definitions/${name}` }
      : { allOf: [{ $ref: `#/components/schemas/${name}` }] };
  };
  const { group, version: ownVersion } = gvk;
  return Object.entries(description.define(version, reference)).map(([type, definition]) => {
    const kind = type === description.list ? listKind : gvk.kind;
    const kinds = schemaExtension(naming, 'group-version-kind', [{ group, kind, version: ownVersion }]);
    return [definitionName(type, naming), { ...definition, ...kinds }];
  });
}
