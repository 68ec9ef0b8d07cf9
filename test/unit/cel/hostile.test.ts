/** Hostile expressions: each is cut, or is done, before it holds the thread for long. */
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { EvaluationCut, EvaluationError } from '../../../src/cel/language/errors.ts';
import { dynType } from '../../../src/cel/language/types.ts';
import { environmentOf } from '../../../src/cel/library/environments.ts';
import { compile } from '../../../src/cel/program.ts';
import { anyToCel } from '../../../src/cel/schema/json-values.ts';
import { maxRunMilliseconds } from '../../../src/cel/run/run.ts';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';
import { newest, problemOf } from './support/evaluate.ts';
import { judged, object, objectErrors, slicedErrors, ruled } from './support/schema.ts';

const environment = environmentOf(newest, new Map([['self', dynType]]));

const letters = 'a'.repeat(3_000_000);
const numbers = Array.from({ length: 200_000 }, (_, i) => i);
const words = numbers.slice(0, 50_000).map((i) => `word${String(i)}`);
const deep = Array.from({ length: 1_000 }).reduce<JsonValue>((inner) => [inner, 'x'], []);

const many = (text: string): string => `[${Array.from({ length: 200 }, () => text).join(',')}].size() > 0`;
const named = (count: number): JsonValue =>
  Object.fromEntries(numbers.slice(0, count).map((i) => [`name${String(i)}`, '']));

/** A step may overrun its time by what one operation takes, and by what a busy machine adds. */
const allowedMs = 4 * maxRunMilliseconds;

/** Milliseconds that an evaluation took, at best of three; it may fail. */
function timeOf(expression: string, self: JsonValue): number {
  const { program, problem } = compile(expression, environment);
  if (!program) throw new Error(problem);
  const once = (): number =>
    cpuMsOf(() => {
      try {
        program.evaluate([anyToCel(self)]);
      } catch (error) {
        if (!(error instanceof EvaluationError) && !(error instanceof EvaluationCut)) throw error;
      }
    });
  return Math.min(once(), once(), once());
}

const expressions: readonly (readonly [name: string, expression: string, self: JsonValue])[] = [
  ['nested loops', 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))', numbers],
  ['nested loops without a value', 'self.exists(a, self.exists(b, a / 0 == b))', numbers],
  ['lists of lists', 'self.map(a, self.map(b, self))', numbers],
  [
    'a text that doubles',
    Array.from({ length: 60 }, () => '.optMap(x, x + x)').reduce(
      (all, next) => all + next,
      'optional.of(self)',
    ),
    letters,
  ],
  ['texts from a loop', 'self.map(x, self.map(y, x + y)).size() > 0', words],
  ['a slow pattern', "self.matches('(a|aa|aaa|aaaa)*b')", letters],
  ['a large pattern', "self.matches('((a{30}){30}){5}' + 'b')", letters],
  ['patterns out of data', 'self.all(x, self.all(y, x.matches(y)))', words],
  ['repetitions out of data', "self.all(x, 'a'.matches('(' + x + '){900}'))", words],
  ['every match', "self.findAll('a').size() > 0", letters],
  ['a search at its worst', "self.contains('b' + self.substring(0, 100000))", letters],
  ['indices at their worst', "self.indexOf('b' + self.substring(0, 1000)) > 0", letters],
  ['a text taken apart', "self.split('').size() > 0", letters],
  ['replacements', "self.replace('a', 'bb').replace('b', 'cc').size() > 0", letters],
  ['replacements of nothing', "self.replace('', 'b').size() > 0", letters],
  ['characters one by one', 'self.size() > 0 && lists.range(100000).all(i, self.charAt(i) == "a")', letters],
  ['casing', 'self.upperAscii().lowerAscii().upperAscii() == self', letters],
  ['spaces around', "self.trim() == ''", ' '.repeat(3_000_000)],
  ['spaces within', 'self.trim() == self', `a${' '.repeat(30_000)}a`],
  ['spaces within, and one that is none', 'self.trim() == self', `\ufeff${' '.repeat(30_000)}a`],
  ['sets', 'sets.contains(self, self)', words],
  ['equality', 'lists.range(1000).all(i, self == self)', words],
  ['deep equality', 'lists.range(1000).all(i, self == self)', deep],
  ['membership', 'self.all(x, x in self)', words],
  ['maps', 'self.transformMap(i, x, self.transformMap(j, y, y)).size() > 0', words],
  ['sorting', 'self.map(x, self.sort().size()).size() > 0', words],
  ['distinct', 'self.map(x, [x]).distinct().size() > 0', words],
  ['ranges', 'lists.range(99999).map(x, lists.range(99999)).size() > 0', null],
  ['flattening', 'self.map(x, self).flatten().size() > 0', words],
  ['formats', "self.map(x, '%s'.format([self])).size() > 0", words],
  ['deep formats', "'%s'.format([self]) == ''", deep],
  ['time zones', "self.all(x, timestamp('2021-01-01T00:00:00Z').getHours('Europe/Berlin') >= 0)", numbers],
  [
    'quantities',
    "self.all(x, isQuantity(x + '.5') || quantity('1').add(quantity('2')) == quantity('3'))",
    words,
  ],
  ['joins', 'self.map(x, self.join(x)).size() > 0', words],
  ['bytes', 'bytes(self).size() + bytes(self + self).size() > 0', letters],
  ['names of maps that are counted', many('size(self.m) == 0'), { m: named(20_000) }],
  ['maps that equal nothing', many('self.m == {}'), { m: named(20_000) }],
  ['maps whose first name decides', many('self.m.exists(name, true)'), { m: named(20_000) }],
  ['versions', 'self.all(x, self.all(y, isSemver(x) || isSemver(y) || isCIDR(x)))', words],
];

test.each(expressions)('%s', (_name, expression, self) => {
  expect(timeOf(expression, self)).toBeLessThan(cpuBudget(allowedMs));
});

/** Pieces of work between two looks at the clock. */
async function worksOf(schema: JsonObject, rule: string, value: JsonValue): Promise<number> {
  let looks = 0;
  const time = (): number => ((looks += 1), 0);
  await judged(object({ v: ruled(schema, rule) }), { v: value }, { limits: { time } });
  return looks;
}

const anything: JsonObject = { type: 'object', 'x-orch-preserve-unknown-fields': true };
const things = [0, 1].map(() => ({ a: numbers.slice(0, 50_000) }));
const asSet: JsonObject = { type: 'array', items: anything, 'x-orch-list-type': 'set', maxItems: 10 };
const ofTexts: JsonObject = { type: 'object', additionalProperties: { type: 'string' } };
const maps: JsonObject = { type: 'object', properties: { a: ofTexts, b: ofTexts } };
const bytes: JsonObject = { type: 'object', properties: { b: { type: 'string', format: 'byte' } } };

test.each<[string, JsonObject, string, JsonValue]>([
  ['what tells items of sets from others', asSet, 'self == self', things],
  ['maps that are equal', maps, 'self.a == self.b', { a: named(20_000), b: named(20_000) }],
  ['sets that are joined', asSet, '(self + self).size() > 0', things],
  [
    'bytes',
    bytes,
    Array.from({ length: 20 }, () => 'size(self.b) == 0').join(' || ') + ' || true',
    { b: 'A'.repeat(400_000) },
  ],
])('%s cost time as they are large', async (_name, schema, rule, value) => {
  expect(await worksOf(schema, rule, value)).toBeGreaterThan(15);
});

test('what takes too long is cut, and says so', () => {
  const { program } = compile('self.all(a, self.all(b, a + b >= 0))', environment);
  const seen: string[] = [];
  try {
    program?.evaluate([anyToCel(numbers)], { maxCost: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (error instanceof EvaluationCut) seen.push(error.message);
  }
  expect(seen).toEqual(['operation cancelled: the evaluation took more than 10 ms']);
});

const texts: readonly (readonly [name: string, text: string])[] = [
  ['many lists', `[${'[],'.repeat(2_700)}]`],
  ['many maps', `[${'{},'.repeat(2_700)}]`],
  ['many sums of lists', `[${'[]+[],'.repeat(1_150)}]`],
  ['many unknown names', `[${'a,'.repeat(4_000)}]`],
  ['a chain of optionals', `optional.of(1)${'.optMap(x, x + 1)'.repeat(60)}`],
  ['nested optionals', `${'optional.of(1).optMap(x, '.repeat(40)}1${')'.repeat(40)}`],
  ['nested macros', `${'[1].all(x, '.repeat(100)}true${')'.repeat(100)}`],
  ['a chain of sorts', `[1]${'.sortBy(x, x)'.repeat(60)}`],
  ['brackets', '['.repeat(8_000)],
  ['signs', '-'.repeat(8_000)],
  ['quotes', '"'.repeat(8_000)],
  ['escapes', `'${'\\n'.repeat(4_000)}'`],
  ['digits', '9'.repeat(8_000)],
];

test.each(texts)('the text of %s is read in time', (_name, text) => {
  const once = (): number => cpuMsOf(() => problemOf(text));
  expect(Math.min(once(), once(), once())).toBeLessThan(cpuBudget(allowedMs));
});

test('all rules of one object share a budget', () => {
  const item = ruled({ type: 'integer' }, 'self >= 0');
  const schema = object({ l: { type: 'array', items: item } });
  const errors = objectErrors(schema, { l: numbers }, { limits: { maxCost: 10_000 } });
  expect(errors).toEqual([
    ': Forbidden: validation failed due to running out of cost budget, no further validation rules will be run',
  ]);
});

test('all rules of one object share a time', async () => {
  let now = 0;
  const time = (): number => (now += 0.01);
  const item = ruled({ type: 'integer' }, 'self >= 0');
  const errors = await slicedErrors(
    object({ l: { type: 'array', items: item } }),
    { l: numbers },
    { limits: { time } },
  );
  expect(errors).toEqual([
    ': Forbidden: validation failed due to running out of time budget, no further validation rules will be run',
  ]);
});

test('an expression over its cost is the last one', () => {
  const schema = object({ l: { type: 'array', items: { type: 'integer' } } });
  const rules = ['self.l.all(x, self.l.all(y, x + y >= 0))', 'false'];
  const errors = objectErrors(ruled(schema, ...rules), { l: numbers.slice(0, 2_000) });
  expect(errors).toEqual([
    expect.stringMatching(/operation cancelled.*no further validation rules will be run/),
  ]);
});
