/** Objects of custom resources by their schema: pruned, defaulted, judged. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { isObject } from '../../../../src/base/json.ts';
import { FieldPath } from '../../../../src/meta/field-path.ts';
import { applyStructuralDefaults } from '../../../../src/schema/structural/structural-defaults.ts';
import { validateLists } from '../../../../src/schema/structural/lists.ts';
import { pruneObject } from '../../../../src/schema/structural/prune-unknown.ts';
import { objectSchema } from '../../../../src/schema/structural/to-schema.ts';
import { readStructural } from '../../../../src/schema/structural/types.ts';
import { validateBySchema } from '../../../../src/schema/structural/validate-structural.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';

const prefix = 'x-orch-';
const at = { path: FieldPath.of('a'), prefix };
const text = { type: 'string' } as const;

function withMember(schema: JsonObject): JsonObject {
  return { type: 'object', properties: { a: schema } };
}

describe('pruning', () => {
  test.each<[string, JsonObject, JsonValue, JsonValue | undefined, string[]]>([
    [
      'unknown members go',
      { type: 'object', properties: { b: text } },
      { b: 'x', c: 1 },
      { b: 'x' },
      ['a.c'],
    ],
    [
      'in lists and maps too',
      { type: 'array', items: { type: 'object', additionalProperties: { type: 'object' } } },
      [{ k: { c: 1 } }],
      [{ k: {} }],
      ['a[0].k.c'],
    ],
    [
      'kept where the schema says so, described ones pruned',
      { type: 'object', 'x-orch-preserve-unknown-fields': true, properties: { b: { type: 'object' } } },
      { c: { d: 1 }, b: { e: 1 } },
      { c: { d: 1 }, b: {} },
      ['a.b.e'],
    ],
    [
      'whole objects keep their envelope',
      { type: 'object', 'x-orch-embedded-resource': true, properties: { b: text } },
      { kind: 'K', apiVersion: 'v1', metadata: { name: 'x' }, c: 1 },
      { kind: 'K', apiVersion: 'v1', metadata: { name: 'x' } },
      ['a.c'],
    ],
    ['a null that means nothing goes', text, null, undefined, []],
    ['a null that means something stays', { ...text, nullable: true }, null, null, []],
  ])('%s', (_name, ...[schema, value, expected, unknown]) => {
    const result = pruneObject(readStructural(withMember(schema), prefix), { a: value });
    expect(result).toEqual({ value: expected === undefined ? {} : { a: expected }, unknown });
  });

  test('keys of objects that are special elsewhere are data', () => {
    const schema = { type: 'object', 'x-orch-preserve-unknown-fields': true };
    const value = JSON.parse('{"__proto__":{"x":1},"constructor":2}') as JsonObject;
    const pruned = pruneObject(readStructural(schema, prefix), value).value;
    expect(Object.keys(pruned)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(pruned)).toBe(Object.prototype);
  });
});

describe('defaults', () => {
  test.each<[string, JsonObject, JsonValue | undefined, JsonValue | undefined]>([
    ['of a missing member', { ...text, default: 'x' }, undefined, 'x'],
    ['of a null that means nothing', { ...text, default: 'x' }, null, 'x'],
    ['not of a null that means something', { ...text, nullable: true, default: 'x' }, null, null],
    ['not of an empty text', { ...text, default: 'x' }, '', ''],
    [
      'below a default',
      { type: 'object', default: {}, properties: { b: { ...text, default: 'y' } } },
      undefined,
      { b: 'y' },
    ],
    [
      'not below what is missing',
      { type: 'object', properties: { b: { ...text, default: 'y' } } },
      undefined,
      undefined,
    ],
    [
      'in items and other members',
      {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { b: { type: 'integer', default: 1 } } },
        },
      },
      [{ k: {} }],
      [{ k: { b: 1 } }],
    ],
  ])('%s', (_name, schema, value, expected) => {
    const object: JsonObject = value === undefined ? {} : { a: value };
    applyStructuralDefaults(readStructural(withMember(schema), prefix), object);
    expect(object).toEqual(expected === undefined ? {} : { a: expected });
  });

  test('are not shared between objects', () => {
    const node = readStructural(
      withMember({ type: 'object', default: { b: [] }, 'x-orch-preserve-unknown-fields': true }),
      prefix,
    );
    const [one, two]: JsonObject[] = [{}, {}];
    applyStructuralDefaults(node, one ?? {});
    applyStructuralDefaults(node, two ?? {});
    expect((one?.['a'] as JsonObject)['b']).not.toBe((two?.['a'] as JsonObject)['b']);
  });
});

describe('validation', () => {
  test.each<[string, JsonObject, JsonValue, string[]]>([
    ['type', { type: 'integer' }, 'x', ['a Invalid value: "x": a in body must be of type integer: "string"']],
    ['whole numbers are numbers', { type: 'number' }, 1, []],
    ['64 bits', { type: 'integer', format: 'int64' }, JSON.rawJSON('9223372036854775807'), []],
    [
      'more than 32 bits',
      { type: 'integer', format: 'int32' },
      2 ** 31,
      [`a Invalid value: ${String(2 ** 31)}: a in body should be of format int32`],
    ],
    ['null', text, null, ['a Invalid value: null: a in body must be of type string: "null"']],
    ['a null that is allowed', { ...text, nullable: true }, null, []],
    ['enum', { ...text, enum: ['x', 'y'] }, 'z', ['a Unsupported value: "z": supported values: "x", "y"']],
    [
      'pattern',
      { ...text, pattern: '^b+$' },
      'abb',
      ['a Invalid value: "abb": a in body should match \'^b+$\''],
    ],
    ['characters, not code units', { ...text, maxLength: 1 }, '😀', []],
    [
      'lengths',
      { ...text, minLength: 2 },
      'x',
      ['a Invalid value: "x": a in body should be at least 2 chars long'],
    ],
    [
      'format',
      { ...text, format: 'ipv4' },
      'x',
      ['a Invalid value: "x": a in body must be of type ipv4: "x"'],
    ],
    ['an unknown format says nothing', { ...text, format: 'shout' }, 'x', []],
    [
      'minimum',
      { type: 'integer', minimum: 1 },
      0,
      ['a Invalid value: 0: a in body should be greater than or equal to 1'],
    ],
    [
      'exclusive maximum',
      { type: 'integer', maximum: 1, exclusiveMaximum: true },
      1,
      ['a Invalid value: 1: a in body should be less than 1'],
    ],
    ['multiple', { type: 'number', multipleOf: 0.1 }, 0.3, []],
    ['required', { type: 'object', required: ['b'] }, {}, ['a.b Required value']],
    [
      'members',
      { type: 'object', maxProperties: 0 },
      { b: 1 },
      ['a Invalid value: 1: a in body should have at most 0 properties'],
    ],
    [
      'items, all of them',
      { type: 'array', maxItems: 1, items: text },
      [1, 2],
      [
        'a Invalid value: 2: a in body should have at most 1 items',
        'a[0] Invalid value: 1: a[0] in body must be of type string: "integer"',
        'a[1] Invalid value: 2: a[1] in body must be of type string: "integer"',
      ],
    ],
    [
      'either',
      { 'x-orch-int-or-string': true },
      true,
      ['a Invalid value: true: a in body must be of type integer or string: "boolean"'],
    ],
    [
      'anyOf',
      { ...text, anyOf: [{ pattern: 'x' }, { pattern: 'y' }] },
      'z',
      ['a Invalid value: "z": a in body must validate at least one schema (anyOf)'],
    ],
    [
      'oneOf',
      { ...text, oneOf: [{ minLength: 1 }, { pattern: 'z' }] },
      'z',
      [
        'a Invalid value: "z": a in body must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      'allOf',
      { ...text, allOf: [{ minLength: 2 }, { pattern: 'x' }] },
      'z',
      [
        'a Invalid value: "z": a in body should be at least 2 chars long',
        'a Invalid value: "z": a in body should match \'x\'',
      ],
    ],
    [
      'not',
      { ...text, not: { pattern: 'z' } },
      'z',
      ['a Invalid value: "z": a in body must not validate the schema (not)'],
    ],
  ])('%s', (_name, schema, value, expected) => {
    const errors = validateBySchema(schema, value, at);
    expect(errors.map(({ field, message }) => `${field} ${message}`)).toEqual(expected);
  });

  test('a pattern that other engines would hang on', () => {
    const hanging = `${'a'.repeat(50_000)}b`;
    const took = cpuMsOf(() => {
      expect(validateBySchema({ ...text, pattern: '^(a+)+$' }, hanging, at)).toHaveLength(1);
    });
    expect(took).toBeLessThan(cpuBudget(2_000));
  });
});

test('sets and maps hold nothing twice', () => {
  const map = {
    type: 'array',
    items: { type: 'object' },
    'x-orch-list-type': 'map',
    'x-orch-list-map-keys': ['k'],
  };
  const set = { type: 'array', items: text, 'x-orch-list-type': 'set' };
  const node = readStructural({ type: 'object', properties: { map, set } }, prefix);
  const value = {
    map: [
      { k: 1, v: 1 },
      { k: 1, v: 2 },
    ],
    set: ['x', 'y', 'x'],
  };
  const errors = validateLists(node, value, FieldPath.of(''));
  expect(errors.map(({ field, message }) => `${field} ${message}`)).toEqual([
    'map[1] Duplicate value: {"k":1}',
    'set[2] Duplicate value: "x"',
  ]);
});

test('as apply sees it: markers, free parts, either type', () => {
  const node = readStructural(
    {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            ports: {
              type: 'array',
              'x-orch-list-type': 'map',
              'x-orch-list-map-keys': ['p'],
              items: { type: 'object', properties: { p: { type: 'integer' } } },
            },
            one: { type: 'object', 'x-orch-map-type': 'atomic', additionalProperties: text },
            free: { type: 'object', 'x-orch-preserve-unknown-fields': true },
            either: { 'x-orch-int-or-string': true },
          },
        },
      },
    },
    prefix,
  );
  const schema = objectSchema(node, { type: 'any', doc: '', name: '' }, false);
  expect([...schema.fields.keys()]).toEqual(['kind', 'apiVersion', 'metadata', 'spec']);
  const spec = schema.fields.get('spec')?.schema;
  const parts = spec?.type === 'struct' ? spec.fields : new Map<string, never>();
  expect(parts.get('ports')?.schema).toMatchObject({ type: 'list', listType: 'map', listMapKeys: ['p'] });
  expect(parts.get('one')?.schema).toMatchObject({ type: 'map', mapType: 'atomic' });
  expect(parts.get('free')?.schema).toMatchObject({ type: 'struct', preserveUnknown: true });
  expect(parts.get('either')?.schema).toMatchObject({ format: 'int-or-string' });
});

test('whatever a schema and an object are, nothing throws', () => {
  const words = [
    'type',
    'properties',
    'items',
    'additionalProperties',
    'required',
    'default',
    'enum',
    'pattern',
  ];
  const key = fc.constantFrom(
    ...words,
    'anyOf',
    'not',
    'x-orch-list-type',
    'x-orch-embedded-resource',
    '__proto__',
    'a',
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<JsonValue>(
        null,
        true,
        0,
        -1.5,
        '',
        'object',
        'array',
        'map',
        '(',
        JSON.rawJSON('9007199254740993'),
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, value, (schema, member) => {
      const raw = withMember(isObject(schema) ? schema : { not: schema });
      const node = readStructural(raw, prefix);
      const pruned = pruneObject(node, { a: member }).value;
      applyStructuralDefaults(node, pruned);
      validateBySchema(raw, pruned, at);
      validateLists(node, pruned, at.path);
      objectSchema(node, { type: 'any', doc: '', name: '' }, false);
      // Pruning what was pruned takes nothing more.
      expect(pruneObject(node, pruneObject(node, { a: member }).value).unknown).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
