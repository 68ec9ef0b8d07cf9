/**
 * Every kind that is stored: what one release wrote, another one reads and writes back without a change, and nothing is
 * lost, in either direction.
 */
import fc from 'fast-check';
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { deepCopy } from '../../../src/base/json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { currentRelease, newestRelease } from '../../../src/observe/release.ts';
import { keepOtherReleases, withoutOtherReleases } from '../../../src/schema/other-releases.ts';
import { checkStructure } from '../../../src/schema/structure.ts';
import type { StructSchema } from '../../../src/schema/types.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';

const minors = Array.from(
  { length: newestRelease.minor - currentRelease.minor + 1 },
  (_, index) => currentRelease.minor + index,
);

/** The stored type of a kind in a release, if that has it. */
function storedAt(type: string, minor: number): StructSchema | undefined {
  const schema = loadCatalogueSchemas(namingProfiles.orch, minor).find(type);
  return schema?.type === 'struct' ? schema : undefined;
}

const types = builtInGroups.flatMap(({ folder, resources }) =>
  resources
    .filter(({ virtual, storedIn }) => virtual !== true && storedIn === undefined)
    .map(({ storageVersion, kind }) => `${folder}/${storageVersion}.${kind}`),
);

test('there are such kinds', () => {
  expect(types.length).toBeGreaterThan(60);
});

/** As an update does that changes nothing: the release sees what it knows, and the rest is taken over. */
function writtenBack(schema: StructSchema, stored: JsonObject): JsonObject {
  const shown = checkStructure(schema, deepCopy(withoutOtherReleases(schema, stored)));
  expect([shown.unknown, shown.errors]).toEqual([[], []]);
  keepOtherReleases(schema, shown.value, stored);
  return shown.value;
}

/** Two releases that have the type, the one that writes first. */
const pairs = fc.tuple(fc.constantFrom(...minors), fc.constantFrom(...minors));

test.each(types)('%s', (type) => {
  const cases = pairs.chain(([writer, other]) => {
    const schema = storedAt(type, writer);
    const object = schema ? arbitraryObject(schema, 4) : fc.constant({});
    return object.map((sent) => ({ writer: schema, other: storedAt(type, other), sent }));
  });
  fc.assert(
    fc.property(cases, ({ writer, other, sent }) => {
      fc.pre(writer !== undefined && other !== undefined);
      const stored = checkStructure(writer, deepCopy(sent)).value;
      const between = writtenBack(other, stored);
      expect(between).toEqual(stored);
      expect(writtenBack(writer, between)).toEqual(stored);
    }),
    { numRuns: 25, maxSkipsPerRun: 1_000 },
  );
});
