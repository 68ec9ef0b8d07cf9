/** Schemas and objects that are large together: what each of them multiplies stays within bounds. */
import { atOnce } from '../../../../src/base/sliced-work.ts';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { shortPath } from '../../../../src/base/short-text.ts';
import { FieldPath } from '../../../../src/meta/field-path.ts';
import {
  applyStructuralDefaults,
  structuralDefaultsInSteps,
} from '../../../../src/schema/structural/structural-defaults.ts';
import { validateLists } from '../../../../src/schema/structural/lists.ts';
import { pruneObject } from '../../../../src/schema/structural/prune-unknown.ts';
import { readStructural } from '../../../../src/schema/structural/types.ts';
import { validateBySchema } from '../../../../src/schema/structural/validate-structural.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';

const place = { path: FieldPath.of('spec'), prefix: 'x-orch-' };
const many = <T>(length: number, item: (i: number) => T): T[] => Array.from({ length }, (_, i) => item(i));
const listOf = (items: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'array', items, ...rest });

function errorsOf(schema: JsonObject, value: JsonValue): string[] {
  return validateBySchema(schema, value, place).map(({ field, message }) => `${field}: ${message}`);
}

/** What the steps of an object take at most on a busy machine; without their bound it is a minute. */
const mostMs = 6_000;

const tooMuch =
  /^spec: Forbidden: validation by the schema takes more than \d+ steps: store less in one object/;

describe('a schema of thousands of parts for thousands of items', () => {
  test.each(['allOf', 'anyOf', 'oneOf'])('%s', (word) => {
    const part = (i: number): JsonObject => ({ minLength: word === 'allOf' || i === 1_999 ? 0 : 1_000 });
    const schema = listOf({ type: 'string', [word]: many(2_000, part) });
    const items = many(20_000, (i) => String(i));
    let found: string[] = [];
    expect(cpuMsOf(() => (found = errorsOf(schema, items)))).toBeLessThan(cpuBudget(mostMs));
    expect(found.some((error) => tooMuch.test(error))).toBe(true);
    expect(found.length).toBeLessThanOrEqual(500);
  });

  test('members that must be there', () => {
    const schema = listOf({ type: 'object', required: many(30_000, (i) => `m${String(i)}`) });
    const found = errorsOf(schema, [many(1, () => ({}))[0] ?? {}, ...many(20_000, () => ({}))]);
    expect(found).toHaveLength(500);
  });

  test('values of an enumeration', () => {
    const schema = listOf({ type: 'string', enum: many(30_000, (i) => `v${String(i)}`) });
    expect(
      cpuMsOf(() =>
        errorsOf(
          schema,
          many(100_000, (i) => `v${String(i % 30_000)}`),
        ),
      ),
    ).toBeLessThan(cpuBudget(1_000));
    const [error = ''] = errorsOf(
      schema,
      many(100_000, () => 'other'),
    );
    expect(error).toContain('"v99", 29900 more');
  });

  test('long texts for many patterns', () => {
    const schema = { type: 'string', allOf: many(5_000, () => ({ maxLength: 1 })) };
    expect(errorsOf(schema, 'x'.repeat(2_000_000)).some((error) => tooMuch.test(error))).toBe(true);
  });
});

test('an object as large as a body may be is within the bounds of a schema with some alternatives', () => {
  const member = { type: 'string', anyOf: [{ maxLength: 3 }, { pattern: '^[a-z0-9]+$' }] };
  const schema = listOf({
    type: 'object',
    required: ['a'],
    properties: { a: member, b: { type: 'integer' } },
  });
  expect(
    errorsOf(
      schema,
      many(150_000, (i) => ({ a: `value${String(i)}`, b: i })),
    ),
  ).toEqual([]);
});

test('errors in alternatives are not put into words', () => {
  const schema = listOf({ anyOf: [...many(20, () => ({ type: 'integer' })), { type: 'string' }] });
  const items = many(30_000, () => 'x');
  expect(cpuMsOf(() => expect(errorsOf(schema, items)).toEqual([]))).toBeLessThan(cpuBudget(1_500));
});

test('items of sets, and what a schema does not know, are gone through once', () => {
  const node = readStructural(
    {
      type: 'object',
      properties: {
        set: listOf({ type: 'string' }, { 'x-orch-list-type': 'set' }),
        free: listOf({ type: 'object' }),
      },
    },
    'x-orch-',
  );
  const value = { set: many(100_000, () => 'same'), free: many(100_000, () => ({ unknown: 1 })) };
  expect(cpuMsOf(() => expect(validateLists(node, value, place.path)).toHaveLength(500))).toBeLessThan(
    cpuBudget(500),
  );
  expect(cpuMsOf(() => expect(pruneObject(node, value).unknown).toHaveLength(100))).toBeLessThan(
    cpuBudget(500),
  );
});

test('defaults do not make a gigabyte of a megabyte', () => {
  const items = { type: 'object', properties: { text: { type: 'string', default: 'x'.repeat(100_000) } } };
  const node = readStructural({ type: 'object', properties: { list: listOf(items) } }, 'x-orch-');
  const few = { list: many(50, () => ({})) };
  expect(applyStructuralDefaults(node, few)).toBe(true);
  expect(few.list.at(-1)).toHaveProperty('text');
  expect(applyStructuralDefaults(node, { list: many(300_000, () => ({})) })).toBe(false);
});

test('defaults that came after a write do not make more of an object than etcd takes', () => {
  const items = { type: 'object', properties: { text: { type: 'string', default: 'x'.repeat(100_000) } } };
  const node = readStructural({ type: 'object', properties: { list: listOf(items) } }, 'x-orch-');
  const few = { list: many(15, () => ({})) };
  expect(atOnce(structuralDefaultsInSteps(node, few))).toBe(true);
  const stored = { list: many(2_000, () => ({})) };
  expect(atOnce(structuralDefaultsInSteps(node, stored))).toBe(false);
  expect(JSON.stringify(stored).length).toBeGreaterThan(1.5 * 1024 ** 2);
  expect(JSON.stringify(stored).length).toBeLessThan(2.1 * 1024 ** 2);
});

test('the names of members with defaults count', () => {
  const item = { type: 'object', properties: { ['n'.repeat(100_000)]: { type: 'integer', default: 1 } } };
  const node = readStructural({ type: 'object', properties: { list: listOf(item) } }, 'x-orch-');
  const large = (): JsonObject => ({ list: many(2_000, () => ({})) });
  expect(applyStructuralDefaults(node, large())).toBe(false);
  const stored = large();
  expect(atOnce(structuralDefaultsInSteps(node, stored))).toBe(false);
  expect(JSON.stringify(stored).length).toBeLessThan(2.1 * 1024 ** 2);
});

test('defaults that take long can be set elsewhere: whoever asks is told before they are set', () => {
  const text = 'x'.repeat(1_000);
  const raw = {
    type: 'array',
    items: { type: 'object', properties: { a: { type: 'string', default: text } } },
  };
  const node = readStructural({ type: 'object', properties: { list: raw } }, 'x-orch-');
  const onLong = jest.fn(() => {
    throw new Error('long');
  });
  expect(applyStructuralDefaults(node, { list: many(200, () => ({})) }, onLong)).toBe(true);
  expect(() => applyStructuralDefaults(node, { list: many(300, () => ({})) }, onLong)).toThrow('long');
});

test('members that nothing describes are named in one cut each, however deep they are', () => {
  const levels = 450;
  const wrap = (around: (inside: JsonObject) => JsonObject, inside: JsonObject): JsonObject =>
    many(levels, () => around).reduce((value, next) => next(value), inside);
  const schema = wrap((inner) => ({ type: 'object', properties: { abcdefgh: inner } }), { type: 'object' });
  const unknown = Object.fromEntries(many(200, (i) => [`u${String(i)}`, i]));
  const value = wrap((inner) => ({ abcdefgh: inner }), unknown);
  const node = readStructural(schema, place.prefix);
  const stringify = jest.spyOn(JSON, 'stringify');
  const found = pruneObject(node, value).unknown;
  // A text is cut by way of JSON: 100 paths took 100 ms when each step was cut.
  const cuts = stringify.mock.calls.length;
  stringify.mockRestore();
  expect(cuts).toBe(100);
  expect(found.at(0)).toBe(shortPath(`${'abcdefgh.'.repeat(levels)}u0`));
});
