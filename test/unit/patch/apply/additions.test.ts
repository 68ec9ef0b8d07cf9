/** What a write adds is the same whether it is written at once or compared, gathered in a set and encoded. */
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/base/json.ts';
import { additions } from '../../../../src/patch/apply/additions.ts';
import { compareObjects } from '../../../../src/patch/apply/compare.ts';
import { encodeFieldsV1 } from '../../../../src/patch/apply/fields-v1.ts';
import { viewOf } from '../../../../src/patch/apply/schema-view.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { fillZeroValues } from '../../../../src/schema/zero-values.ts';
import type { StructSchema } from '../../../../src/schema/types.ts';
import { arbitraryObject } from '../../../support/arbitrary-object.ts';
import { odd, oddObjects } from '../../../support/apply/odd-schema.ts';
import { thing } from '../../../support/apply/world.ts';
import { realCatalogue } from '../../../support/catalogue.ts';

/** As a comparison has it; undefined where it has more than additions and changes. */
function compared(before: JsonObject, after: JsonObject, schema: StructSchema): string | undefined {
  const { changed, removed } = compareObjects(before, after, schema);
  return removed.isEmpty ? JSON.stringify(encodeFieldsV1(changed)) : undefined;
}

/** True when there was an answer. */
function expectSame(before: JsonObject, after: JsonObject, schema: StructSchema): boolean {
  const added = additions(before, after, viewOf(schema));
  if (added === undefined) return false;
  expect(JSON.stringify(added)).toBe(compared(before, after, schema));
  return true;
}

const { schemas } = realCatalogue(namingProfiles.orch);

test.each([
  'core/v1.Pod',
  'core/v1.Service',
  'apps/v1.Deployment',
  'apiextensions/v1.CustomResourceDefinition',
])('a new %s is always written at once', (name) => {
  const schema = schemas.get(name);
  const empty: JsonObject = { metadata: {} };
  fillZeroValues(schema, empty);
  fc.assert(
    fc.property(arbitraryObject(schema, 4), (object) => {
      const next: JsonObject = { metadata: {}, ...object };
      fillZeroValues(schema, next);
      expect(expectSame(empty, next, schema)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test.each<[string, StructSchema]>([
  ['odd', odd],
  ['thing', thing],
])('whatever the objects are (%s)', (_name, schema) => {
  let answers = 0;
  fc.assert(
    fc.property(oddObjects, oddObjects, fc.boolean(), (before, more, isGrown) => {
      const after = isGrown ? { ...before, ...more } : more;
      if (expectSame(before, after, schema)) answers += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(answers).toBeGreaterThan(200);
});

test('members of a struct and a map come in the order of their names, however many', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${String((i * 7) % 40)}`, 'x']));
  for (const size of [2, 15, 16, 17, 18, 40]) {
    const labels = Object.fromEntries(Object.entries(many).slice(0, size));
    expect(expectSame({}, { text: 'x', replicas: 1, metadata: { labels } }, thing)).toBe(true);
  }
});

test.each<[string, JsonObject, JsonObject]>([
  ['takes something away', { text: 'a' }, {}],
  ['empties a struct', { replicas: { a: [] } }, { replicas: null }],
  ['changes a list that has items', { b: ['x'] }, { b: ['x', 'y'] }],
  ['makes an object something else', { other: { x: 1 } }, { other: 'x' }],
])('nothing is said of a write that %s', (_name, before, after) => {
  expect(additions(before, after, viewOf(odd))).toBeUndefined();
});
