/** What is refused before it runs: grammar, types, names, literals. */
import { typeText } from '../../../src/cel/language/types.ts';
import { newest, problemOf, programOf, type Types } from './support/evaluate.ts';

const types: Types = {
  n: 'int',
  s: 'string',
  l: 'list(string)',
  m: 'map(string, int)',
  d: 'dyn',
  t: 'timestamp',
  o: 'optional(int)',
};

const inferred: readonly (readonly [expression: string, type: string])[] = [
  ['n + 1', 'int'],
  ['l', 'list(string)'],
  ['l.map(x, x.size())', 'list(int)'],
  ['l.filter(x, x == "a")', 'list(string)'],
  ['m.map(k, m[k])', 'list(int)'],
  ['m.all(k, v, v > 0)', 'bool'],
  ['m.transformMap(k, v, string(v))', 'map(string, string)'],
  ['d.a.b', 'dyn'],
  ['d + 1', 'int'],
  ['[]', 'list(dyn)'],
  ['{}', 'map(dyn, dyn)'],
  ['[[]]', 'list(list(dyn))'],
  ['[] + [1]', 'list(int)'],
  ['true ? 1 : n', 'int'],
  ['t - t', 'duration'],
  ['type(n)', 'type(int)'],
  ['l[0]', 'string'],
  ['l[?0]', 'optional_type(string)'],
  ['m.?a', 'optional_type(int)'],
  ['o.orValue(1)', 'int'],
  ['o.optMap(x, string(x))', 'optional_type(string)'],
  ['[?o, 1]', 'list(int)'],
  ['o == null', 'bool'],
  ['l.first()', 'optional_type(string)'],
  ["'%s'.format([s])", 'string'],
  ['quantity(s).add(1)', 'Quantity'],
];

test.each(inferred)('%s is of type %s', (expression, type) => {
  expect(typeText(programOf(expression, types).type)).toBe(type);
});

const refused: readonly (readonly [expression: string, message: string])[] = [
  ['', 'Syntax error: unexpected <EOF>'],
  ['1 +', 'Syntax error'],
  ['1 1', "Syntax error: unexpected '1'"],
  ['(1', 'Syntax error'],
  ['[1', 'Syntax error'],
  ['{1}', 'Syntax error'],
  ["'a", 'not closed'],
  ["'a\nb'", 'not closed'],
  ["'\\q'", 'invalid escape'],
  ["'\\ud800'", 'code point'],
  ["b'\\u0041'", 'single bytes'],
  ["'\\x4'", 'invalid escape'],
  ['1 = 1', 'token recognition error'],
  ['a & b', 'token recognition error'],
  ['9223372036854775808', 'out of range'],
  ['-9223372036854775809', 'out of range'],
  ['18446744073709551616u', 'out of range'],
  ['1e999', 'out of range'],
  ['for', 'reserved identifier: for'],
  ['package.name', 'reserved identifier: package'],
  ['has(n)', 'invalid argument to has() macro'],
  ['has(l[0])', 'invalid argument to has() macro'],
  ['l.all(x.y, true)', 'argument must be a simple name'],
  ['l.all(1, true)', 'argument must be a simple name'],
  ['m.all(k, k, true)', 'must differ'],
  ['unknown', "undeclared reference to 'unknown' (in container '')"],
  ['unknown(1)', "undeclared reference to 'unknown'"],
  ['s.unknown()', "undeclared reference to 'unknown'"],
  ['n + s', "found no matching overload for '_+_' applied to '(int, string)'"],
  ['n + 1.0', "found no matching overload for '_+_' applied to '(int, double)'"],
  ['s.size(1)', "found no matching overload for 'size' applied to 'string.(int)'"],
  ['s.startsWith(1)', "found no matching overload for 'startsWith' applied to 'string.(int)'"],
  ['startsWith(s, s)', "found no matching overload for 'startsWith' applied to '(string, string)'"],
  ['n == s', "found no matching overload for '_==_' applied to '(int, string)'"],
  ['s == null', "found no matching overload for '_==_' applied to '(string, null)'"],
  ['n.a', "type 'int' does not support field selection"],
  ['n.all(x, true)', 'cannot be range of a comprehension'],
  ['l.all(x, x)', "found no matching overload for '_&&_'"],
  ['n ? 1 : 2', "found no matching overload for '_?_:_'"],
  ['true ? 1 : s', "found no matching overload for '_?_:_'"],
  ['!n', "found no matching overload for '!_'"],
  ["[1, 'a']", "expected type 'int' but found 'string'"],
  ["{'a': 1, 'b': 'c'}", "expected type 'int' but found 'string'"],
  ['[?n]', "expected type 'optional_type' but found 'int'"],
  ['1 in s', "found no matching overload for '@in'"],
  ['s in [1]', "found no matching overload for '@in'"],
  ["s.matches('(')", 'invalid matches argument'],
  ["duration('1x') == duration('1s')", 'invalid duration argument'],
  ["timestamp('yesterday') == t", 'invalid timestamp argument'],
  ['Message{a: 1}', "undeclared reference to 'Message'"],
];

test.each(refused)('%s is refused', (expression, message) => {
  expect(problemOf(expression, types)).toContain(message);
});

test('a problem has its place, its line and a mark', () => {
  expect(problemOf('true &&\n  s.foo', types)).toBe(
    "ERROR: <input>:2:4: type 'string' does not support field selection\n |   s.foo\n | ...^",
  );
});

test('several mistakes are named together', () => {
  expect(problemOf('unknown == other', types).match(/undeclared/g)).toHaveLength(2);
});

test('the depth, the length and the number of parts of an expression are bounded', () => {
  expect(problemOf(`${'('.repeat(300)}1${')'.repeat(300)}`)).toContain('recursion limit');
  expect(problemOf(Array.from({ length: 300 }, () => '1').join(' + '))).toContain('recursion limit');
  expect(problemOf(`[${'['.repeat(100_000)}`)).toContain('make it shorter');
  expect(problemOf(`'${'a'.repeat(20_000)}' == ''`)).toContain('make it shorter');
  const operands = Array.from({ length: 1000 }, () => 'true').join(' && ');
  expect(problemOf(operands)).toBe('');
});

const since: readonly (readonly [expression: string, minor: number])[] = [
  ['1 < 2.0', 28],
  ["quantity('1') == quantity('1')", 28],
  ['[1][?0].hasValue()', 28],
  ["'%d'.format([1]) == '1'", 29],
  ['sets.contains([1], [1])', 29],
  ["isIP('::1')", 30],
  ["cidr('10.0.0.0/8').prefixLength() == 8", 30],
  ["format.dns1123Label().validate('a').hasValue()", 31],
  ['[1].all(i, v, v > i)', 32],
  ["semver('1.0.0').major() == 1", 33],
  ['[2, 1].sort() == [1, 2]', 34],
];

test.each(since)('%s is known since 1.%d', (expression, minor) => {
  expect(problemOf(expression, {}, minor)).toBe('');
  expect(problemOf(expression, {}, minor - 1)).not.toBe('');
  expect(problemOf(expression, {}, newest)).toBe('');
});
