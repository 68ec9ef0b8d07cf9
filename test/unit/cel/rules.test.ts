/** Validation rules of schemas: types, definitions, objects, updates. */
import type { JsonObject } from '../../../src/base/json.ts';
import { typeText } from '../../../src/cel/language/types.ts';
import { declarationOf } from '../../../src/cel/schema/declaration.ts';
import { escapeName } from '../../../src/cel/schema/property-names.ts';
import { readStructural } from '../../../src/schema/structural/types.ts';
import { definitionErrors, object, objectErrors, ruled, treeOf } from './support/schema.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };
const small = { type: 'string', maxLength: 10 };

describe('types of schemas', () => {
  const cases: readonly (readonly [schema: JsonObject, type: string | undefined])[] = [
    [{ type: 'string' }, 'string'],
    [{ type: 'string', format: 'byte' }, 'bytes'],
    [{ type: 'string', format: 'date' }, 'timestamp'],
    [{ type: 'string', format: 'date-time' }, 'timestamp'],
    [{ type: 'string', format: 'duration' }, 'duration'],
    [{ type: 'string', format: 'uuid' }, 'string'],
    [{ type: 'integer' }, 'int'],
    [{ type: 'integer', format: 'int32' }, 'int'],
    [{ type: 'number' }, 'double'],
    [{ type: 'boolean' }, 'bool'],
    [{ 'x-orch-int-or-string': true }, 'dyn'],
    [{ type: 'array', items: { type: 'string' } }, 'list(string)'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'map(string, int)'],
    [{ type: 'object', properties: { a: { type: 'string' } } }, 'x'],
    [{ 'x-orch-preserve-unknown-fields': true }, undefined],
    [{ type: 'array', items: { 'x-orch-preserve-unknown-fields': true } }, undefined],
    [{ type: 'object', additionalProperties: { 'x-orch-preserve-unknown-fields': true } }, undefined],
  ];
  test.each(cases)('%j', (schema, type) => {
    const declaration = declarationOf(readStructural(schema, 'x-orch-'), 'x', false);
    expect(declaration && typeText(declaration.type)).toBe(type);
  });

  test('property names become identifiers', () => {
    const names: Readonly<Record<string, string | undefined>> = {
      plain: 'plain',
      'a-b': 'a__dash__b',
      'a.b/c': 'a__dot__b__slash__c',
      a__b: 'a__underscores__b',
      namespace: '__namespace__',
      in: '__in__',
      int: 'int',
      '1a': undefined,
      'a b': undefined,
      $ref: undefined,
      '': undefined,
      ä: undefined,
    };
    for (const [name, identifier] of Object.entries(names))
      expect([name, escapeName(name)]).toEqual([name, identifier]);
    const schema = ruled(
      object({ 'a-b': integer, namespace: string }),
      "self.a__dash__b > 0 && self.__namespace__ != ''",
    );
    expect(definitionErrors(schema)).toEqual([]);
    expect(objectErrors(schema, { 'a-b': 1, namespace: 'n' })).toEqual([]);
    expect(objectErrors(schema, { 'a-b': 0, namespace: 'n' })).toHaveLength(1);
  });

  test('a field that nothing declares is an error of the definition', () => {
    const free = { ...object({ a: string }), 'x-orch-preserve-unknown-fields': true };
    for (const schema of [
      object({ a: string }),
      free,
      object({ a: string, b: { 'x-orch-preserve-unknown-fields': true } }),
    ])
      expect(definitionErrors(ruled(schema, 'has(self.b)'))).toEqual([
        expect.stringContaining("undefined field 'b'"),
      ]);
  });

  test('a whole object has kind, apiVersion and names, and nothing else of its metadata', () => {
    expect(definitionErrors(ruled(object({}), "self.kind != '' && self.apiVersion != ''"))).toEqual([]);
    expect(definitionErrors(ruled(object({}), "self.metadata.name.startsWith('a')"))).toEqual([]);
    expect(definitionErrors(ruled(object({}), 'has(self.metadata.labels)'))).toEqual([
      expect.stringContaining("undefined field 'labels'"),
    ]);
    const inner = ruled(object({}), "self.kind != ''");
    expect(definitionErrors(object({ spec: inner }))).toEqual([
      expect.stringContaining("undefined field 'kind'"),
    ]);
    const embedded = {
      ...object({}),
      'x-orch-embedded-resource': true,
      'x-orch-preserve-unknown-fields': true,
    };
    expect(definitionErrors(object({ spec: ruled(embedded, "self.metadata.name != ''") }))).toEqual([]);
  });
});

describe('definitions', () => {
  const spec = (rule: JsonObject): JsonObject =>
    object({ spec: ruled(object({ a: small, l: { type: 'array', items: string, maxItems: 5 } }), rule) });
  const at = 'properties[spec].x-orch-validations[0]';
  const cases: readonly (readonly [rule: JsonObject, error: string])[] = [
    [{ rule: '' }, `${at}.rule: Required value: rule is not specified`],
    [{ rule: ' ' }, `${at}.rule: Required value: rule is not specified`],
    [{}, `${at}.rule: Required value: rule is not specified`],
    [{ rule: 'true', message: ' ' }, `${at}.message: Invalid value: " ": must be non-empty if specified`],
    [{ rule: 'true', message: 'a\nb' }, `must not contain line breaks`],
    [
      { rule: 'true &&\ntrue' },
      `${at}.message: Required value: message must be specified if rule contains line breaks`,
    ],
    [
      { rule: 'true', messageExpression: ' ' },
      `${at}.messageExpression: Required value: messageExpression must be non-empty if specified`,
    ],
    [
      { rule: 'true', reason: 'Because' },
      `${at}.reason: Unsupported value: "Because": supported values: "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired", "FieldValueDuplicate"`,
    ],
    [{ rule: 'true', fieldPath: '.b' }, `${at}.fieldPath: Invalid value: ".b": must be a valid path`],
    [{ rule: 'true', fieldPath: 'a' }, 'must be a valid path'],
    [{ rule: 'true', fieldPath: '.l[0]' }, 'must be a valid path'],
    [{ rule: 'self.a' }, `${at}.rule: Invalid value: "self.a": cel expression must evaluate to a bool`],
    [{ rule: 'self.b' }, "compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b\n | ....^"],
    [{ rule: 'self.a == 1' }, "found no matching overload for '_==_' applied to '(string, int)'"],
    [
      { rule: 'true', messageExpression: '1' },
      `${at}.messageExpression: Invalid value: "1": messageExpression must evaluate to a string`,
    ],
    [{ rule: 'true', messageExpression: 'self.b' }, 'messageExpression compilation failed'],
    [
      { rule: 'true', optionalOldSelf: true },
      `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ],
    [{ rule: 'oldSelf == self', optionalOldSelf: true }, "found no matching overload for '_==_'"],
  ];
  test.each(cases)('%j', (rule, error) => {
    expect(definitionErrors(spec(rule))).toEqual([expect.stringContaining(error)]);
  });

  const good: readonly JsonObject[] = [
    { rule: 'self.a == "x"', fieldPath: '.a', reason: 'FieldValueForbidden' },
    { rule: 'self == oldSelf' },
    { rule: '!oldSelf.hasValue() || oldSelf.value().a == self.a', optionalOldSelf: true },
    { rule: 'true', messageExpression: "'a is ' + self.a" },
    { rule: 'self.l.all(x, x.size() < 3)', fieldPath: "['l']" },
  ];
  test.each(good)('%j', (rule) => {
    expect(definitionErrors(spec(rule))).toEqual([]);
  });

  test('oldSelf cannot be used where items cannot be told apart', () => {
    const item = ruled(object({ k: small }, { required: ['k'] }), 'self.k == oldSelf.k');
    const list = { type: 'array', items: item, maxItems: 3 };
    const map = { ...list, 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['k'] };
    expect(definitionErrors(object({ l: list }))).toEqual([
      expect.stringContaining(
        'oldSelf cannot be used on the uncorrelatable portion of the schema within properties[l]',
      ),
    ]);
    expect(definitionErrors(object({ l: map }))).toEqual([]);
    expect(
      definitionErrors(object({ m: { type: 'object', additionalProperties: item, maxProperties: 3 } })),
    ).toEqual([]);
  });

  test('rules in allOf are rules of the value', () => {
    const schema = object(
      { a: integer },
      { allOf: [ruled({}, 'self.a > 1'), { properties: { a: ruled({}, 'self > 2') } }] },
    );
    expect(definitionErrors(schema)).toEqual([]);
    expect(objectErrors(schema, { a: 1 }).map((error) => error.split(':')[0])).toEqual(['', 'a']);
    expect(objectErrors(schema, { a: 2 })).toEqual(['a: Invalid value: 2: failed rule: self > 2']);
    expect(definitionErrors(object({ a: integer }, { allOf: [ruled({}, 'self.b > 1')] }))).toEqual([
      expect.stringContaining('allOf[0].x-orch-validations[0].rule'),
    ]);
  });

  test('an expression that was there may use what later releases brought', () => {
    const rule = "quantity(self.a).isLessThan(quantity('1'))";
    const schema = ruled(object({ a: small }), rule);
    expect(definitionErrors(schema, 27)).toEqual([
      expect.stringContaining("undeclared reference to 'quantity'"),
    ]);
    expect(definitionErrors(schema, 27, new Set([rule]))).toEqual([]);
    expect(definitionErrors(schema, 28)).toEqual([]);
  });

  test('a schema without rules has no tree', () => {
    expect(treeOf(object({ a: string }))).toBeUndefined();
    expect(treeOf(object({ 'x-orch-validations': { type: 'array', items: string } }))).toBeUndefined();
  });
});

describe('objects', () => {
  const cases: readonly (readonly [
    name: string,
    schema: JsonObject,
    value: JsonObject,
    errors: readonly string[],
  ])[] = [
    ['a rule holds', ruled(object({ a: integer }), 'self.a > 0'), { a: 1 }, []],
    [
      'its text is the message',
      ruled(object({ a: integer }), 'self.a > 0'),
      { a: 0 },
      [': Invalid value: "object": failed rule: self.a > 0'],
    ],
    [
      'message',
      ruled(object({ a: integer }), { rule: 'self.a > 0', message: ' too small ' }),
      { a: 0 },
      [': Invalid value: "object": too small'],
    ],
    [
      'messageExpression',
      ruled(object({ a: integer }), {
        rule: 'self.a > 0',
        message: 'no',
        messageExpression: "'a is ' + string(self.a)",
      }),
      { a: 0 },
      [': Invalid value: "object": a is 0'],
    ],
    [
      'a messageExpression without a value',
      ruled(object({ a: integer }), {
        rule: 'self.a > 0',
        message: 'no',
        messageExpression: 'string(1 / self.a)',
      }),
      { a: 0 },
      [': Invalid value: "object": no'],
    ],
    [
      'a messageExpression of lines',
      ruled(object({ a: integer }), { rule: 'self.a > 0', messageExpression: "'a\\nb'" }),
      { a: 0 },
      [': Invalid value: "object": failed rule: self.a > 0'],
    ],
    [
      'reason and fieldPath',
      ruled(object({ a: object({ b: integer }) }), {
        rule: 'self.a.b > 0',
        message: 'm',
        reason: 'FieldValueForbidden',
        fieldPath: '.a.b',
      }),
      { a: { b: 0 } },
      ['a.b: Forbidden: m'],
    ],
    [
      'fieldPath of a key',
      ruled(object({ m: { type: 'object', additionalProperties: integer } }), {
        rule: 'false',
        reason: 'FieldValueRequired',
        fieldPath: ".m['a.b']",
      }),
      { m: {} },
      ['m[a.b]: Required value: failed rule: false'],
    ],
    [
      'a duplicate',
      object({ a: ruled(string, { rule: 'false', reason: 'FieldValueDuplicate' }) }),
      { a: 'x' },
      ['a: Duplicate value: "x"'],
    ],
    [
      'a scalar',
      object({ a: ruled(integer, 'self > 0') }),
      { a: 0 },
      ['a: Invalid value: 0: failed rule: self > 0'],
    ],
    ['an absent value is not judged', object({ a: ruled(integer, 'self > 0') }), {}, []],
    [
      'a null is not judged',
      object({ a: ruled({ ...integer, nullable: true }, 'self > 0') }),
      { a: null },
      [],
    ],
    [
      'items and members',
      object({
        l: { type: 'array', items: ruled(integer, 'self > 0') },
        m: { type: 'object', additionalProperties: ruled(integer, 'self > 0') },
      }),
      { l: [1, 0], m: { a: 1, b: 0 } },
      ['l[1]: Invalid value: 0: failed rule: self > 0', 'm[b]: Invalid value: 0: failed rule: self > 0'],
    ],
    [
      'an expression without a value',
      ruled(object({ a: integer }), 'self.a > 0'),
      {},
      [': Invalid value: "object": no such key: a evaluating rule: self.a > 0'],
    ],
    [
      'a type that shows at run time',
      ruled(object({ p: { 'x-orch-int-or-string': true } }), 'self.p + 1 > 0'),
      { p: 'x' },
      [
        `: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.p + 1 > 0`,
      ],
    ],
    [
      'int or string',
      ruled(
        object({ p: { 'x-orch-int-or-string': true } }),
        "type(self.p) == int ? self.p > 0 : self.p.endsWith('%')",
      ),
      { p: '5%' },
      [],
    ],
    [
      'a time',
      ruled(
        object({ t: { type: 'string', format: 'date-time' } }),
        "self.t > timestamp('2020-01-01T00:00:00Z')",
      ),
      { t: '2021-01-01T00:00:00Z' },
      [],
    ],
    [
      'a date',
      ruled(object({ t: { type: 'string', format: 'date' } }), 'self.t.getFullYear() == 2021'),
      { t: '2021-01-01' },
      [],
    ],
    [
      'a duration',
      ruled(object({ t: { type: 'string', format: 'duration' } }), "self.t < duration('1h')"),
      { t: '5m' },
      [],
    ],
    ['bytes', ruled(object({ t: { type: 'string', format: 'byte' } }), "self.t == b'hi'"), { t: 'aGk=' }, []],
    [
      'a whole number is a double of a number',
      ruled(object({ n: { type: 'number' } }), 'self.n == 2.0'),
      { n: 2 },
      [],
    ],
    [
      'a set ignores order',
      ruled(
        object({ l: { type: 'array', items: string, 'x-orch-list-type': 'set' } }),
        "self.l == ['b', 'a']",
      ),
      { l: ['a', 'b'] },
      [],
    ],
    [
      'an atomic list does not',
      ruled(object({ l: { type: 'array', items: string } }), "self.l == ['b', 'a']"),
      { l: ['a', 'b'] },
      [expect.stringContaining('failed rule')],
    ],
    [
      'every rule is judged',
      ruled(object({ a: integer }), 'self.a > 0', 'self.a > 1', 'self.a > -1'),
      { a: 0 },
      [expect.anything(), expect.anything()],
    ],
    [
      'keys of a prototype',
      ruled(
        { type: 'object', additionalProperties: integer },
        "!('constructor' in self) && self.all(k, self[k] == 1)",
      ),
      JSON.parse('{"__proto__": 1}') as JsonObject,
      [],
    ],
  ];
  test.each(cases)('%s', (_name, schema, value, errors) => {
    // A map as the root of a definition there is none, but the rules of values are the same.
    expect(definitionErrors(schema).filter((error) => !error.includes('cost'))).toEqual([]);
    expect(objectErrors(schema, value)).toEqual(errors);
  });

  test('64-bit integers are exact', () => {
    const schema = ruled(object({ a: integer }), 'self.a == 9223372036854775807');
    expect(objectErrors(schema, { a: JSON.rawJSON('9223372036854775807') })).toEqual([]);
    expect(objectErrors(schema, { a: JSON.rawJSON('9223372036854775806') })).toHaveLength(1);
  });
});
