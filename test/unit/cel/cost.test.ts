/** Costs: estimates at the time of definition, charges at run time, in units of the reference. */
import fc from 'fast-check';

import type { JsonObject } from '../../../src/base/json.ts';
import { estimateCost } from '../../../src/cel/cost/estimate.ts';
import { EvaluationError } from '../../../src/cel/language/errors.ts';
import { declarationOf, mostAt } from '../../../src/cel/schema/declaration.ts';
import { toCel } from '../../../src/cel/schema/json-values.ts';
import { environmentOf } from '../../../src/cel/library/environments.ts';
import { compile } from '../../../src/cel/program.ts';
import { readStructural } from '../../../src/schema/structural/types.ts';
import { evaluate, newest } from './support/evaluate.ts';
import { definitionErrors, object, ruled } from './support/schema.ts';

const text = (maxLength: number): JsonObject => ({ type: 'string', maxLength });
const list = (items: JsonObject, maxItems?: number): JsonObject => ({
  ...{ type: 'array', items },
  ...(maxItems !== undefined && { maxItems }),
});

function parts(
  schema: JsonObject,
  expression: string,
): { readonly max: number; readonly run: (value: JsonObject) => number } {
  const declaration = declarationOf(readStructural(schema, 'x-orch-'), 'object', false);
  if (!declaration) throw new Error('no declaration');
  const { program, problem } = compile(
    expression,
    environmentOf(newest, new Map([['self', declaration.type]])),
  );
  if (!program) throw new Error(problem);
  const { max } = estimateCost(program.checked, (path) => mostAt(declaration, path));
  return { max, run: (value) => program.evaluate([toCel(value, declaration)]).cost };
}

describe('at run time', () => {
  const cases: readonly (readonly [expression: string, cost: number])[] = [
    ['1 == 1', 1],
    ['1 + 2 == 3', 2],
    ["'abc' == 'abd'", 1],
    ["'a'.startsWith('b')", 1],
    ['[1, 2].size() == 2', 12],
    ['[1, 2].all(x, x > 0)', 10 + 2 * (2 + 3) + 2 - 1],
    ["{'a': 1}.a == 1", 32],
    ['false && [1].size() == 1', 0],
    ["'a'.matches('a')", 1],
    ["'aaaaaaaaaaaaaaaaaaaa'.matches('aaaaaaaa')", 6],
    ["quantity('1').isLessThan(quantity('2'))", 3],
  ];
  test.each(cases)('%s costs %d', (expression, cost) => {
    expect(evaluate(expression).cost).toBeLessThanOrEqual(cost + 1);
    expect(evaluate(expression).cost).toBeGreaterThanOrEqual(cost - 2);
  });

  test('an evaluation ends with its budget', () => {
    expect(() => evaluate('lists.range(100).all(x, x >= 0)', { maxCost: 100 })).toThrow(
      'operation cancelled: actual cost limit exceeded',
    );
  });

  test('nothing absorbs the end of the budget', () => {
    expect(() => evaluate('true || lists.range(100).all(x, x >= 0)', { maxCost: 100 })).not.toThrow();
    expect(() => evaluate('lists.range(100).all(x, x >= 0) || true', { maxCost: 100 })).toThrow('cost limit');
  });

  test('an evaluation ends with its time, which is that of the thread', () => {
    let now = 0;
    const time = (): number => (now += 6);
    expect(() => evaluate('lists.range(2000).all(x, x >= 0)', { time })).toThrow(
      'operation cancelled: the evaluation took more than 10 ms',
    );
  });
});

describe('estimates', () => {
  const schema = object({
    s: text(10),
    u: { type: 'string' },
    l: list(text(10), 5),
    n: { type: 'integer' },
    free: list({ type: 'integer' }),
  });
  const cases: readonly (readonly [expression: string, max: number])[] = [
    ['true', 0],
    ['self.n == 1', 2],
    ["self.s == 'abcdefghij'", 2 + 1],
    ["self.s.startsWith('abcdefghij')", 2 + 1],
    ["self.s.contains('abcdefghij')", 2 + 4],
    ["self.s.matches('abcdefgh')", 2 + 5 * 2],
    ['self.l.size() == 1', 2 + 1 + 1],
    ['self.n > 0 ? self.n > 1 : self.s.size() > 1', 3 + 4],
  ];
  test.each(cases)('%s costs at most %d', (expression, max) => {
    expect(parts(schema, expression).max).toBeGreaterThanOrEqual(max - 1);
    expect(parts(schema, expression).max).toBeLessThanOrEqual(max + 1);
  });

  test('a bound makes the difference', () => {
    const bounded = parts(object({ l: list(text(10), 5) }), 'self.l.all(x, x.size() > 1)').max;
    const open = parts(object({ l: list(text(10)) }), 'self.l.all(x, x.size() > 1)').max;
    expect(bounded).toBeLessThan(100);
    expect(open).toBeGreaterThan(1_000_000);
  });

  test('an evaluation costs no more than its estimate', () => {
    const expressions = [
      "self.l.all(x, x.startsWith('ab') || x.matches('a+b'))",
      "self.l.map(x, x + self.s).join(',').contains('a')",
      'self.l.filter(x, x != self.s).size() > 1',
      'self.l.exists_one(x, x == self.s) && self.s in self.l',
      "self.s.split('').map(x, x.upperAscii()).join('-').size() > 3",
      "self.s.replace('a', 'bbb').replace('b', 'c').size() > 1",
      'self.l.all(x, self.l.all(y, x == y || x < y || x > y))',
      '[self.n, 2, 3].sum() > self.l.size()',
      "self.?s.orValue('') == self.l[?0].orValue('a')",
    ].map((expression) => parts(schema, expression));
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), maxLength: 10 });
    const value = fc.record({
      s: word,
      l: fc.array(word, { maxLength: 5 }),
      n: fc.integer({ min: -9, max: 9 }),
    });
    fc.assert(
      fc.property(value, fc.nat({ max: expressions.length - 1 }), (object, i) => {
        const expression = expressions[i];
        if (!expression) return;
        try {
          expect(expression.run(object)).toBeLessThanOrEqual(expression.max);
        } catch (error) {
          if (!(error instanceof EvaluationError)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('limits of definitions', () => {
  const nested = (depth: number): JsonObject => list(depth === 0 ? { type: 'integer' } : nested(depth - 1));
  const hint =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

  test('a rule that may cost too much is refused', () => {
    const schema = object({ l: nested(1) });
    expect(definitionErrors(ruled(schema, 'self.l.all(x, x.all(y, y > 0))'))).toEqual([
      `x-orch-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${hint}`,
      'x-orch-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      `: Forbidden: x-orch-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${hint}`,
    ]);
  });

  test('items of a list that depends on a condition have no bound of their own', () => {
    const schema = object({ l: list(text(64), 256) });
    const rule = `(has(self.l) ? self.l : []).exists(k, k.contains('/'))`;
    expect(definitionErrors(ruled(schema, rule))).toEqual([]);
  });

  test('a rule below a list without bounds costs as often as a body has room for', () => {
    const item = ruled(text(5), "self.contains('abc')");
    expect(definitionErrors(object({ l: list(item) }))).toEqual([]);
    const dear = ruled(text(5_000), "self.matches('abcdefghijklmnop')");
    expect(definitionErrors(object({ l: list(dear) }))).toEqual([
      expect.stringContaining('estimated rule cost exceeds budget'),
      expect.anything(),
      expect.anything(),
    ]);
    expect(definitionErrors(object({ l: list(dear, 10) }))).toEqual([]);
  });

  test('many rules together are refused', () => {
    const rule = "self.l.all(x, x.matches('abcdefghijklmnop'))";
    const schema = object({ l: list(text(500), 4_000) });
    expect(definitionErrors(ruled(schema, rule))).toEqual([]);
    const errors = definitionErrors(ruled(schema, ...Array.from({ length: 40 }, () => rule)));
    expect(errors).toHaveLength(5);
    expect(errors.at(-1)).toContain(
      'estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of',
    );
  });
});
