/** Whatever has the right structure gets errors or none, never an exception: hooks of every kind, over its own schema. */
import fc from 'fast-check';
import { builtInGroups } from '../../../src/api/index.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { setOwn } from '../../../src/base/json.ts';
import type { ScalarSchema, Schema } from '../../../src/schema/types.ts';
import { Kind } from '../../support/kind.ts';

const words = [
  '',
  'a',
  'A b',
  'None',
  '10.0.0.1',
  '::1',
  '../x',
  'x'.repeat(300),
  'example.com/y',
  '__proto__',
  'metadata.name',
];
const keys = ['a', '', '__proto__', 'constructor', 'cpu', 'hugepages-2Mi', 'example.com/gpu', 'storage'];
const maxDepth = 9;

function scalar({ type, format }: ScalarSchema): fc.Arbitrary<JsonValue> {
  if (format === 'quantity') return fc.constantFrom('0', '1', '500m', '1Gi', '-1', '1n');
  if (format === 'int-or-string') return fc.constantFrom<JsonValue>(0, 80, -1, '', 'http', '50%');
  if (format === 'byte') return fc.constantFrom('', 'YQ==', 'e30=');
  if (format === 'date-time' || format === 'micro-time') return fc.constantFrom('2021-01-01T00:00:00Z');
  if (format === 'int64') return fc.constantFrom<JsonValue>(0, 1, -1, JSON.rawJSON('9223372036854775807'));
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return fc.constantFrom(...words);
  return fc.constantFrom(0, 1, -1, 100, 2 ** 31 - 1);
}

function valueOf(schema: Schema, depth: number, enumValues: readonly string[] = []): fc.Arbitrary<JsonValue> {
  switch (schema.type) {
    case 'struct':
      return depth >= maxDepth ? fc.constant({}) : structOf([...schema.fields.values()], depth);
    case 'list':
      return fc.array(valueOf(schema.items, depth + 1, enumValues), { maxLength: 2 });
    case 'map':
      return fc
        .array(fc.tuple(fc.constantFrom(...keys), valueOf(schema.values, depth + 1)), { maxLength: 3 })
        .map(objectOf);
    case 'any':
      return fc.constantFrom<JsonValue>({}, { a: 1 });
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return enumValues.length > 0 && schema.type === 'string'
        ? fc.constantFrom('', ...enumValues)
        : scalar(schema);
  }
}

function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of entries) setOwn(result, key, value);
  return result;
}

type Fields = readonly { name: string; schema: Schema; pointer: boolean; enumValues: readonly string[] }[];

/** A handful of the fields, so that objects stay small at every depth. */
function structOf(fields: Fields, depth: number): fc.Arbitrary<JsonValue> {
  if (fields.length === 0) return fc.constant({});
  return fc
    .subarray([...fields], { maxLength: Math.min(fields.length, depth < 3 ? 6 : 4) })
    .chain((chosen) =>
      fc
        .tuple(...chosen.map((field) => valueOf(field.schema, depth + 1, field.enumValues)))
        .map((values) => objectOf(chosen.map((field, i) => [field.name, values[i] ?? null] as const))),
    );
}

const names = builtInGroups.flatMap((group) =>
  group.resources.map(({ plural }) => `${plural}.${group.folder}`),
);

test.each(names)('%s', (name) => {
  const kind = new Kind(name);
  const objects = valueOf(kind.schema, 0) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(objects, objects, (first, second) => {
      const metadata: JsonObject = { name: 'a', namespace: 'default' };
      const before = kind.created({ ...first, metadata });
      kind.createErrors({ ...first, metadata });
      kind.updateErrors(before, { ...second, metadata });
      for (const { name: sub, type } of kind.definition.subresources) {
        if (type === 'object') kind.updateErrors(before, { ...second, metadata }, sub);
      }
      kind.cells(before);
      Object.values(kind.definition.selectableFields).forEach((read) =>
        expect(typeof read(before)).toBe('string'),
      );
      kind.definition.strategy.bumpsGeneration?.(before, before);
      expect(kind.definition.strategy.gracePeriod?.(before, undefined) ?? 0).toBeGreaterThanOrEqual(-1);
    }),
    { numRuns: 60 },
  );
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
