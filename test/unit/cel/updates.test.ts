/** Rules of updates: old values, and what did not change. */
import { maxFieldErrors } from '../../../src/meta/field-error.ts';
import { object, objectErrors, ruled } from './support/schema.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };

describe('updates', () => {
  const immutable = ruled(object({ a: integer, b: integer }), {
    rule: 'self.a == oldSelf.a',
    message: 'immutable',
  });

  test('a transition rule is judged when there is an old value', () => {
    expect(objectErrors(immutable, { a: 1 })).toEqual([]);
    expect(objectErrors(immutable, { a: 1 }, { before: { a: 1 } })).toEqual([]);
    expect(objectErrors(immutable, { a: 2 }, { before: { a: 1 } })).toEqual([
      ': Invalid value: "object": immutable',
    ]);
  });

  test('with optionalOldSelf it is judged always', () => {
    const rule = {
      rule: 'oldSelf.hasValue() ? oldSelf.value().a <= self.a : self.a == 0',
      optionalOldSelf: true,
    };
    const schema = ruled(object({ a: integer }), rule);
    expect(objectErrors(schema, { a: 0 })).toEqual([]);
    expect(objectErrors(schema, { a: 1 })).toHaveLength(1);
    expect(objectErrors(schema, { a: 5 }, { before: { a: 1 } })).toEqual([]);
    expect(objectErrors(schema, { a: 0 }, { before: { a: 1 } })).toHaveLength(1);
  });

  test('items of a map list are compared with the item of their keys', () => {
    const item = ruled(object({ k: string, v: integer }), { rule: 'self.v >= oldSelf.v', message: 'fell' });
    const schema = object({
      l: { type: 'array', items: item, 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['k'] },
    });
    const before = {
      l: [
        { k: 'a', v: 1 },
        { k: 'b', v: 5 },
      ],
    };
    expect(
      objectErrors(
        schema,
        {
          l: [
            { k: 'b', v: 5 },
            { k: 'a', v: 1 },
            { k: 'c', v: 0 },
          ],
        },
        { before },
      ),
    ).toEqual([]);
    expect(objectErrors(schema, { l: [{ k: 'b', v: 4 }] }, { before })).toEqual([
      'l[0]: Invalid value: "object": fell',
    ]);
  });

  test('members of a map are compared by their names', () => {
    const schema = object({ m: { type: 'object', additionalProperties: ruled(integer, 'self >= oldSelf') } });
    expect(objectErrors(schema, { m: { a: 0, b: 1 } }, { before: { m: { a: 1 } } })).toEqual([
      'm[a]: Invalid value: 0: failed rule: self >= oldSelf',
    ]);
  });

  test('what did not change is not judged again', () => {
    const schema = object({
      spec: ruled(object({ a: integer }), 'self.a > 0'),
      other: ruled(integer, 'self > 0'),
    });
    const before = { spec: { a: 0 }, other: 1 };
    expect(objectErrors(schema, { spec: { a: 0 }, other: 2 }, { before })).toEqual([]);
    expect(objectErrors(schema, { spec: { a: -1 }, other: 2 }, { before })).toHaveLength(1);
    expect(objectErrors(schema, { spec: { a: 0 }, other: 0 }, { before })).toEqual([
      'other: Invalid value: 0: failed rule: self > 0',
    ]);
  });

  test('an item that cannot be told apart is as old as its list', () => {
    const schema = object({ l: { type: 'array', items: ruled(integer, 'self > 0') }, o: integer });
    expect(objectErrors(schema, { l: [0], o: 2 }, { before: { l: [0], o: 1 } })).toEqual([]);
    expect(objectErrors(schema, { l: [0, 1], o: 2 }, { before: { l: [0], o: 1 } })).toHaveLength(1);
  });

  test('a rule that compares with the old value is judged although nothing changed', () => {
    const schema = object({ a: ruled(integer, 'self > oldSelf') });
    expect(objectErrors(schema, { a: 1 }, { before: { a: 1 } })).toHaveLength(1);
  });
});

test('what an update left as it was is let pass with a warning, and nothing else is', () => {
  const item = ruled(object({ v: integer }), {
    rule: 'self.v > 0',
    messageExpression: "'too small: ' + string(self.v)",
  });
  const schema = ruled(object({ l: { type: 'object', additionalProperties: item }, a: integer }), {
    rule: 'self.a >= oldSelf.a',
    message: 'fell',
  });
  const warnings: string[] = [];
  const before = { a: 2, l: { old: { v: -1 }, right: { v: 1 } } };
  const next = { a: 1, l: { old: { v: -1 }, right: { v: 1 }, new: { v: -2 } } };
  expect(objectErrors(schema, next, { before, warnings })).toEqual([
    ': Invalid value: "object": fell',
    'l[new]: Invalid value: "object": too small: -2',
  ]);
  expect(warnings).toEqual(['l[old]: Invalid value: "object": too small: -1']);
});

test('warnings are as many as errors at most', () => {
  const schema = object({ l: { type: 'array', items: ruled(integer, 'self > 0') } });
  const value = { l: Array.from({ length: 5_000 }, () => -1) };
  const warnings: string[] = [];
  expect(objectErrors(schema, value, { before: value, warnings })).toEqual([]);
  expect(warnings.length).toBeGreaterThan(1);
  expect(warnings.length).toBeLessThanOrEqual(maxFieldErrors);
});
