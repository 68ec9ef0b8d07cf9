/** Patterns of definitions: what they cost is known before they are compiled, and bounded where texts are matched. */
import { RE2JS } from 're2js';

import { FieldPath } from '../../../../src/meta/field-path.ts';
import { patternCost } from '../../../../src/schema/structural/pattern-cost.ts';
import { maxPatternCost } from '../../../../src/schema/structural/pattern.ts';
import { validateBySchema } from '../../../../src/schema/structural/validate-structural.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';

const many = (length: number, item: (i: number) => string): string =>
  Array.from({ length }, (_, i) => item(i)).join('');

const hostile: Record<string, string> = {
  'a repetition': 'a{1000}',
  'a repeated group': '(abcdefghij|k*){1000}',
  'repetitions of repetitions': '((a{10}){10}){10}',
  'options up to a number': '(?:(?:ab?c*){1,30}){1,33}',
  'a least number': '(abcdefghij){900,}',
  'many repetitions': 'a{99}'.repeat(2_000),
  'a group after a quoted bracket': '(aaaaaaaaaa\\Q(\\E){1000}',
  'a group after a bracket in a class': '(aaaaaaaaaa[(]){1000}',
  'a group after an escaped bracket': '(aaaaaaaaaa\\(){1000}',
  'a class that begins with its end': '(aaaaaaaaaa[](]){1000}',
  'a named class': '(aaaaaaaaaa[[:alpha:](]){1000}',
  'a long text': 'ab'.repeat(50_000),
  'different texts': many(15_000, (i) => `x${String(i)}|`),
  'letters of all languages': '\\pL'.repeat(1_000),
  'letters in either case': `(?i)${'\\pL'.repeat(300)}`,
  'ranges in either case': `(?i)${'[a-\\x{10FFFF}]'.repeat(30)}`,
  'a class of many characters': `[${many(4_000, (i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000)))}]{9}`,
  'names without an end': '\\p{'.repeat(20_000),
  'classes without an end': '[[:'.repeat(10_000),
};

describe('the cost of', () => {
  beforeAll(() => {
    for (let i = 1; i < 300; i += 1) RE2JS.compile(`^[a-z]{1,${String(i)}}(abc|d)*$`);
  });

  test.each(Object.entries(hostile))('%s', (_name, pattern) => {
    let cost = 0;
    expect(cpuMsOf(() => (cost = patternCost(pattern)))).toBeLessThan(cpuBudget(50));
    let size = 0;
    const spent = cpuMsOf(() => {
      try {
        size = RE2JS.compile(pattern).programSize();
      } catch {
        // No pattern; to find that takes time as well.
      }
    });
    // The engine has one instruction more than what a pattern says, and may leave out what says nothing.
    expect(cost).toBeGreaterThanOrEqual(size - 2);
    expect(spent).toBeLessThan(10 + cost * 0.01);
  });

  test('what definitions have', () => {
    const octet = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
    const group = '[0-9a-fA-F]{1,4}';
    const address = `^(${octet}\\.){3}${octet}$|^(${group}:){7}${group}$|^(${group}:){1,7}:$|^(${group}:){1,6}:${group}$`;
    expect(patternCost(address)).toBeLessThan(maxPatternCost / 40);
    expect(patternCost('^[\\p{L}\\p{N} ._-]{1,253}$')).toBeLessThan(maxPatternCost / 2);
    expect(patternCost('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')).toBeLessThan(maxPatternCost / 200);
  });
});

describe('matches', () => {
  const letters = (length: number): string => many(length, (i) => ((i * i * 7_919) % 13 < 6 ? 'a' : 'b'));
  const slow = '^[ab]*a[ab]{900}c?$';
  const errorsOf = (pattern: string, items: readonly string[]): string[] =>
    validateBySchema({ type: 'array', items: { type: 'string', pattern } }, [...items], {
      path: FieldPath.of('spec'),
      prefix: 'x-orch-',
    }).map(({ message }) => message);

  test.each([
    ['one long text', [letters(60_000)]],
    ['many texts', Array.from({ length: 600 }, (_, i) => letters(1_000 + i))],
  ])('%s for a pattern of which all of it is alive', (_name, items) => {
    errorsOf(slow, ['ab']);
    let found: string[] = [];
    expect(cpuMsOf(() => (found = errorsOf(slow, items)))).toBeLessThan(cpuBudget(250));
    expect(found.at(-1)).toMatch(/^Forbidden: validation by the schema takes more than \d+ steps/);
  });

  test('many short texts for a large pattern that reads each once', () => {
    const address = '^(([0-9a-f]{1,4}:){1,7}[0-9a-f]{1,4}|[0-9]{1,3}([.][0-9]{1,3}){3})(/[0-9]{1,3})?$';
    const items = Array.from({ length: 20_000 }, (_, i) => `10.0.${String(i % 256)}.0/24`);
    expect(errorsOf(address, items)).toEqual([]);
  });

  test('a long text for a small pattern', () => {
    expect(errorsOf('^[a-z]+$', ['x'.repeat(300_000)])).toEqual([]);
  });
});
