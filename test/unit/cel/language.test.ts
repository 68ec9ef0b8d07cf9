/** The language: literals, operators, macros, errors and their absorption. Each line is an expression that must be true. */
import type { CelValue } from '../../../src/cel/language/values.ts';
import { NativeMap } from '../../../src/cel/language/values.ts';
import { environmentOf } from '../../../src/cel/library/environments.ts';
import { compile } from '../../../src/cel/program.ts';
import { newest, valueOf } from './support/evaluate.ts';

const truths: Readonly<Record<string, string>> = {
  literals: `
    1 == 1
    0x1F == 31
    -0x10 == -16
    -9223372036854775808 < 0
    9223372036854775807 > 0
    18446744073709551615u > 0u
    0xFFu == 255u
    1.5 == 1.5
    .5 == 0.5
    1e3 == 1000.0
    1.5e-2 == 0.015
    5e2 == 500.0
    true
    !false
    null == null
    [] == []
    {} == {}
    [1, 2, 3].size() == 3
    {'a': 1, 'b': 2}.size() == 2
    [1, 2,] == [1, 2]
    {'a': 1,} == {'a': 1}`,
  strings: `
    'a' == "a"
    '''a''' == """a"""
    'it\\'s' == "it's"
    '''it's''' == "it's"
    '\\n'.size() == 1
    r'\\n'.size() == 2
    R"\\d" == '\\\\d'
    '\\x41\\u0042\\U00000043\\104' == 'ABCD'
    '\\a\\b\\f\\r\\t\\v\\\\\\?\\"\\'\\\`'.size() == 11
    '😀'.size() == 1
    '\\U0001F600' == '😀'
    'é'.size() == 1
    b'é'.size() == 2
    b'\\xff'.size() == 1
    b'\\377' == b'\\xFF'
    rb'\\x'.size() == 2
    br'\\x' == b'\\\\x'
    b'abc' == bytes('abc')
    '''a
b''' == 'a\\nb'
    'a' + 'b' == 'ab'
    'abc' < 'abd'
    'Z' < 'a'
    '' < 'a'
    '\\uffff' < '😀'
    'abc'.startsWith('ab')
    'abc'.endsWith('bc')
    'abc'.contains('b')
    !'abc'.contains('d')
    'abc'.contains('')
    'aab'.matches('^a+b$')
    matches('xaby', 'ab')
    !'abc'.matches('^b')
    'a.b'.matches(r'a\\.b')`,
  arithmetic: `
    1 + 2 == 3
    7 / 2 == 3
    -7 / 2 == -3
    7 % 3 == 1
    -7 % 3 == -1
    2 * 3 - 1 == 5
    2 + 3 * 4 == 14
    (2 + 3) * 4 == 20
    1u + 2u == 3u
    5u / 2u == 2u
    5u % 2u == 1u
    1.0 / 4.0 == 0.25
    1.0 / 0.0 == double('Infinity')
    -(1.0 / 0.0) == double('-inf')
    0.0 / 0.0 != 0.0 / 0.0
    -(5) == -5
    --5 == 5
    !!true
    b'a' + b'b' == b'ab'
    [1] + [2] == [1, 2]`,
  comparisons: `
    1 < 2 && 2 > 1 && 1 <= 1 && 1 >= 1
    1 < 2u && 1u < 2 && 1 < 1.5 && 1.5 > 1
    2u > 1.5 && 1.5 < 2u
    -1 < 0u
    dyn(1) == dyn(1u)
    dyn(1) == dyn(1.0)
    dyn(1) != dyn('1')
    [1, 2] == [1, 2]
    [1, 2] != [2, 1]
    {'a': 1, 'b': 2} == {'b': 2, 'a': 1}
    {'a': 1} != {'a': 2}
    {'a': 1} != {'b': 1}
    [[1], [2]] == [[1], [2]]
    false < true
    b'a' < b'b'
    b'a' < b'aa'
    type(1) == int && type(1u) == uint && type(1.0) == double
    type('') == string && type(b'') == bytes && type(true) == bool
    type(null) == null_type && type([]) == list && type({}) == map
    type(type(1)) == type
    type(1) != string`,
  conditions: `
    true ? true : 1 / 0 == 1
    false ? 1 / 0 == 1 : true
    (true ? 1 : 2) == 1
    true ? (false ? false : true) : false
    false ? false : false ? false : true
    1 < 2 ? 'a' == 'a' : false`,
  membership: `
    1 in [1, 2]
    !(3 in [1, 2])
    'a' in {'a': 1}
    !('b' in {'a': 1})
    1 in {1: 'x'}
    dyn(1.0) in {1: 'x'}
    dyn(1u) in [1]
    !(1 in [])
    'x' in ['y', 'x']
    [1, 2, 3][0] == 1
    {'a': 'b'}['a'] == 'b'
    {'a': {'b': 1}}.a.b == 1
    {1: 2}[1] == 2
    {true: 1}[true] == 1
    has({'a': 1}.a)
    !has({'a': 1}.b)
    has({'a': {'b': 1}}.a.b)`,
  absorption: `
    true || 1 / 0 == 1
    1 / 0 == 1 || true
    !(false && 1 / 0 == 1)
    !(1 / 0 == 1 && false)
    [0, 1].exists(x, 1 / x == 1)
    !([0, 1, 2].all(x, 1 / x == 1 && x < 2))
    true || dyn('a')
    dyn('a') || true`,
  macros: `
    [1, 2, 3].all(x, x > 0)
    ![1, 2, 3].all(x, x > 1)
    [].all(x, false)
    [1, 2, 3].exists(x, x == 2)
    ![].exists(x, true)
    [1, 2, 2].exists_one(x, x == 1)
    ![1, 2, 2].exists_one(x, x == 2)
    [1, 2].existsOne(x, x == 1)
    [1, 2, 3].map(x, x * 2) == [2, 4, 6]
    [1, 2, 3].map(x, x > 1, x * 2) == [4, 6]
    [1, 2, 3].filter(x, x > 1) == [2, 3]
    {'a': 1, 'b': 2}.all(k, k in ['a', 'b'])
    {'a': 1, 'b': 2}.exists(k, k == 'b')
    {'a': 1}.map(k, k + 'x') == ['ax']
    {'a': 1, 'b': 2}.filter(k, k == 'a') == ['a']
    [[1, 2], [3]].all(x, x.all(y, y > 0))
    [[1, 2], [3]].map(x, x.map(y, y + 1)) == [[2, 3], [4]]
    [1, 2].map(x, [x].map(y, x + y)[0]) == [2, 4]
    [1].all(x, [2].all(x, x == 2))
    [1, 2].map(x, x).map(x, x + 1) == [2, 3]
    [1, 2, 3].filter(x, x != 2).size() == 2`,
  'two variables': `
    [5, 6].all(i, v, v == i + 5)
    {'a': 1}.all(k, v, k == 'a' && v == 1)
    {'a': 1, 'b': 2}.exists(k, v, v == 2)
    [1, 2].existsOne(i, v, v == 2)
    [1, 2].transformList(i, v, i * v) == [0, 2]
    [1, 2].transformList(i, v, i > 0, v) == [2]
    {'a': 1}.transformMap(k, v, v + 1) == {'a': 2}
    {'a': 1, 'b': 2}.transformMap(k, v, v > 1, v) == {'b': 2}
    {'a': 'x'}.transformMapEntry(k, v, {v: k}) == {'x': 'a'}
    ['x'].transformMapEntry(i, v, {v: i}) == {'x': 0}
    [1, 2].transformList(i, v, [3].transformList(j, w, v + w)[0]) == [4, 5]`,
  conversions: `
    int('-12') == -12
    int(12u) == 12
    int(1.9) == 1
    int(-1.9) == -1
    int(timestamp('1970-01-01T00:01:00Z')) == 60
    uint('5') == 5u
    uint(5) == 5u
    double('1.5') == 1.5
    double(2) == 2.0
    double('1e3') == 1000.0
    string(5) == '5'
    string(5u) == '5'
    string(1.5) == '1.5'
    string(100.0) == '100'
    string(1e21) == '1e+21'
    string(0.00001) == '1e-05'
    string(true) == 'true'
    string(b'abc') == 'abc'
    string(timestamp('2020-01-01T00:00:00Z')) == '2020-01-01T00:00:00Z'
    string(timestamp('2020-01-01T00:00:00.120Z')) == '2020-01-01T00:00:00.12Z'
    string(duration('90s')) == '90s'
    string(duration('1500ms')) == '1.5s'
    bool('true') && bool('1') && bool('T') && !bool('FALSE')
    bytes('a') == b'a'
    dyn(1) == 1
    int('+7') == 7`,
  times: `
    timestamp('2021-06-01T12:30:45.5Z').getFullYear() == 2021
    timestamp('2021-06-01T12:30:45.5Z').getMonth() == 5
    timestamp('2021-06-01T12:30:45.5Z').getDate() == 1
    timestamp('2021-06-01T12:30:45.5Z').getDayOfMonth() == 0
    timestamp('2021-06-01T12:30:45.5Z').getDayOfWeek() == 2
    timestamp('2021-02-01T00:00:00Z').getDayOfYear() == 31
    timestamp('2021-06-01T12:30:45.5Z').getHours() == 12
    timestamp('2021-06-01T12:30:45.5Z').getMinutes() == 30
    timestamp('2021-06-01T12:30:45.5Z').getSeconds() == 45
    timestamp('2021-06-01T12:30:45.5Z').getMilliseconds() == 500
    timestamp('2021-06-01T00:00:00Z').getHours('+02:30') == 2
    timestamp('2021-06-01T00:00:00Z').getDate('-01:00') == 31
    timestamp('2021-06-01T00:00:00Z').getHours('Europe/Berlin') == 2
    timestamp('2021-06-01T02:00:00+02:00') == timestamp('2021-06-01T00:00:00Z')
    timestamp('2021-06-01T00:00:00Z') + duration('1h') == timestamp('2021-06-01T01:00:00Z')
    timestamp('2021-06-01T01:00:00Z') - timestamp('2021-06-01T00:00:00Z') == duration('60m')
    timestamp('2021-06-01T00:00:00Z') - duration('1s') < timestamp('2021-06-01T00:00:00Z')
    duration('1h') + duration('30m') == duration('90m')
    duration('1h').getMinutes() == 60
    duration('90m').getHours() == 1
    duration('1.5s').getMilliseconds() == 500
    duration('-1s') < duration('0s')
    timestamp(0) == timestamp('1970-01-01T00:00:00Z')
    timestamp('0001-01-01T00:00:00Z') < timestamp('9999-12-31T23:59:59.999999999Z')`,
  comments: `
    1 == 1 // the same
    // first a comment
    true`,
};

describe.each(Object.entries(truths))('%s', (_name, text) => {
  const lines = text
    .split('\n    ')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  const expressions = lines.reduce<string[]>((all, line) => {
    const before = all.at(-1);
    if (before?.startsWith('//')) return [...all.slice(0, -1), `${before}\n${line}`];
    return [...all, line];
  }, []);
  test.each(expressions)('%s', (expression) => {
    expect(valueOf(expression)).toBe(true);
  });
});

const failures: readonly (readonly [expression: string, message: string | RegExp])[] = [
  ['1 / 0', 'division by zero'],
  ['1 % 0', 'modulus by zero'],
  ['1u / 0u', 'division by zero'],
  ['9223372036854775807 + 1', 'integer overflow'],
  ['-9223372036854775808 - 1', 'integer overflow'],
  ['9223372036854775807 * 2', 'integer overflow'],
  ['-(-9223372036854775808)', 'integer overflow'],
  ['-9223372036854775808 / -1', 'integer overflow'],
  ['18446744073709551615u + 1u', 'unsigned integer overflow'],
  ['0u - 1u', 'unsigned integer overflow'],
  ['[1][1]', 'index out of bounds: 1'],
  ['[1][-1]', 'index out of bounds: -1'],
  ["{'a': 1}['b']", 'no such key: b'],
  ["{'a': 1}.b", 'no such key: b'],
  ["{'a': 1, 'a': 2}", /already exists/],
  ["int('x')", /conversion error/],
  ["int('1.5')", /conversion error/],
  ["uint('-1')", /conversion error/],
  ["double('x')", /conversion error/],
  ["bool('yes')", /conversion error/],
  ['int(1e30)', 'integer overflow'],
  ['uint(-1)', 'unsigned integer overflow'],
  ["string(b'\\xff')", /UTF-8/],
  ["duration('1h' + '1x')", /invalid duration/],
  ["timestamp('2021-02-30' + 'T00:00:00Z')", /invalid timestamp/],
  ["timestamp('9999-12-31T23:59:59Z') + duration('2s')", 'timestamp overflow'],
  ["timestamp('2021-01-01T00:00:00Z').getHours('Mars/Base')", /time zone/],
  ["'a'.matches('(' + '')", /regexp/],
  ["dyn('a') + 1", 'no such overload'],
  ["dyn(1) < 'a'", 'no such overload'],
  ["dyn('a') && true", 'no such overload'],
  ["dyn('a') || false", 'no such overload'],
  ['dyn(1) ? 1 : 2', 'no such overload'],
  ["dyn(1).startsWith('a')", 'no such overload'],
  ['dyn(1).all(x, true)', 'no such overload'],
  ['1 / 0 == 1 || false', 'division by zero'],
  ['1 / 0 == 1 && true', 'division by zero'],
  ['[0].exists(x, 1 / x == 1)', 'division by zero'],
  ['[1, 0].all(x, 1 / x == 1)', 'division by zero'],
  ['[0].map(x, 1 / x)', 'division by zero'],
  ['optional.none().value() == 1', /dereference/],
];

test.each(failures)('%s has no value', (expression, message) => {
  expect(() => valueOf(expression)).toThrow(message);
});

test('keys and fields of a prototype are no keys and fields', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    expect(valueOf(`has({'a': 1}.${name})`)).toBe(false);
    expect(valueOf(`'${name}' in {'a': 1}`)).toBe(false);
    expect(valueOf(`{'${name}': 5}.${name} == 5`)).toBe(true);
    expect(() => valueOf(`{'a': 1}['${name}']`)).toThrow('no such key');
  }
});

/** The language has names in backquotes, expressions of the API do not. */
function quoted(text: string, quotedNames: boolean): unknown {
  const type = { kind: 'map', key: { kind: 'string' }, value: { kind: 'dyn' } } as const;
  const environment = { ...environmentOf(newest, new Map([['m', type]])), quotedNames };
  const { program, problem } = compile(text, environment);
  const inner = new NativeMap(new Map([['c.d/e', ['c.d/e', 2n]]]));
  const value = new NativeMap(
    new Map<string, readonly [CelValue, CelValue]>([
      ['a-b', ['a-b', inner]],
      ['in', ['in', 3n]],
    ]),
  );
  return program ? program.evaluate([value]).value : problem;
}

test.each<[string, unknown]>([
  ['m.`a-b`.`c.d/e`', 2n],
  ['has(m.`a-b`)', true],
  ['has(m.`a b`)', false],
  ['m.`in`', 3n],
  ['m.?`a-b`.hasValue()', true],
])('%s, where names may be in backquotes', (text, value) => {
  expect(quoted(text, true)).toEqual(value);
  expect(quoted(text, false)).toMatch(/unsupported syntax: '`'/);
});

test.each(['`m`', 'm.`a-b`()', 'm.``', 'm.`a', 'm.`a$`'])('%s is no name in backquotes', (text) => {
  expect(quoted(text, true)).toMatch(/Syntax error/);
});
