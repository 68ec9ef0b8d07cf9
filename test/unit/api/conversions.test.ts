/**
 * Every kind in every version, served or not: random objects go to the stored version and back, and from the stored
 * version there and back, without loss; what comes out has only fields that its version knows.
 */
import fc from 'fast-check';
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { deepCopy, isObject, setOwn } from '../../../src/base/json.ts';
import { FieldPath } from '../../../src/meta/field-path.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { currentRelease, newestRelease, parseRelease } from '../../../src/observe/release.ts';
import type { SchemaSet } from '../../../src/schema/load-proto.ts';
import type { ResourceVersionDefinition } from '../../../src/api/types.ts';
import { createServedResource } from '../../../src/registry/catalogue/served-resource.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import { checkStructure } from '../../../src/schema/structure.ts';
import type { Schema, StructSchema } from '../../../src/schema/types.ts';
import { fillZeroValues } from '../../../src/schema/zero-values.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';
import { meaningful } from './meaningful.ts';

const naming = namingProfiles.orch;
/** The last release that has a version, whose fields are the most that it ever had. */
function schemasOf({ removedIn = '' }: ResourceVersionDefinition): SchemaSet {
  const removed = parseRelease(removedIn);
  const last = removed ? Math.min(removed.minor - 1, newestRelease.minor) : newestRelease.minor;
  return loadCatalogueSchemas(naming, Math.max(last, currentRelease.minor));
}

const cases = builtInGroups
  .flatMap((group) =>
    group.resources
      .filter((definition) => definition.virtual !== true)
      .flatMap((definition) =>
        definition.versions.map((own) => {
          const { version } = own;
          const { folder } = group;
          const served = createServedResource({
            group: group.group,
            folder,
            version,
            definition,
            schemas: schemasOf(own),
            naming,
          });
          return { name: `${group.folder}/${version} ${definition.kind}`, served };
        }),
      ),
  )
  .filter(({ served }) => !served.conversion.isInternal);

/** In the form that is written, so that absent and empty compare equal where they mean the same. */
function normal(schema: StructSchema, object: JsonObject): JsonObject {
  const { value, errors } = checkStructure(schema, deepCopy(object), FieldPath.of(''));
  expect(errors).toEqual([]);
  const { kind: _kind, apiVersion: _version, ...rest } = value;
  rest['metadata'] ??= {};
  fillZeroValues(schema, rest);
  return emptyAsNull(rest) as JsonObject;
}

/** A list that is always written may be written as null or empty. */
function emptyAsNull(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(emptyAsNull);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) setOwn(result, name, emptyAsNull(member ?? null));
  return result;
}

function objects(schema: StructSchema, served: ServedResource): fc.Arbitrary<JsonObject> {
  return arbitraryObject(schema, 5).map((object) => {
    const metadata = isObject(object['metadata']) ? object['metadata'] : {};
    return normal(schema, meaningful(served, schema, normal(schema, { ...object, metadata })));
  });
}

/** Nothing that a conversion writes is a field that the version does not have. */
function unknownFields(schema: Schema, value: JsonValue, path = ''): string[] {
  if (schema.type === 'list' && Array.isArray(value))
    return value.flatMap((item) => unknownFields(schema.items, item, `${path}[]`));
  if (!isObject(value)) return [];
  if (schema.type === 'map')
    return Object.values(value).flatMap((item) => unknownFields(schema.values, item ?? null, `${path}{}`));
  if (schema.type !== 'struct' || schema.preserveUnknown) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const field = schema.fields.get(name);
    return field ? unknownFields(field.schema, member ?? null, `${path}.${name}`) : [`${path}.${name}`];
  });
}

describe.each(cases)('$name', ({ served }) => {
  const stored = served.storage.schema;

  test('to the stored version and back', () => {
    fc.assert(
      fc.property(objects(served.schema, served), (object) => {
        const there = served.conversion.toInternal(deepCopy(object));
        expect(unknownFields(stored, there)).toEqual([]);
        expect(normal(served.schema, served.conversion.fromInternal(there))).toEqual(object);
      }),
      { numRuns: 60 },
    );
  });

  test('from the stored version and back', () => {
    fc.assert(
      fc.property(objects(stored, served), (object) => {
        const there = served.conversion.fromInternal(deepCopy(object));
        expect(unknownFields(served.schema, there)).toEqual([]);
        expect(normal(stored, served.conversion.toInternal(there))).toEqual(object);
      }),
      { numRuns: 60 },
    );
  });
});
