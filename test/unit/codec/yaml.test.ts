import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { atOnce } from '../../../src/base/sliced-work.ts';
import { DecodeError } from '../../../src/codec/decode-error.ts';
import { encodeYaml, encodeYamlAnswer, encodeYamlItem, yamlInSteps } from '../../../src/codec/encode-yaml.ts';
import { decodeYaml, decodeYamlDocuments } from '../../../src/codec/yaml.ts';

function decode(text: string): JsonValue {
  return decodeYaml(Buffer.from(text));
}

describe('scalars', () => {
  test.each([
    ['y', 'true'],
    ['Yes', 'true'],
    ['on', 'true'],
    ['TRUE', 'true'],
    ['n', 'false'],
    ['No', 'false'],
    ['OFF', 'false'],
    ['"yes"', '"yes"'],
    ["'n'", '"n"'],
    ['~', 'null'],
    ['', 'null'],
    ['Null', 'null'],
    ['yEs', '"yEs"'],
    ['12', '12'],
    ['+12', '12'],
    ['-0x1F', '-31'],
    ['0b101', '5'],
    ['010', '8'],
    ['0o17', '15'],
    ['08', '8'],
    ['1_000', '1000'],
    ['1e3', '1000'],
    ['.5', '0.5'],
    ['1.', '1'],
    ['1:20', '"1:20"'],
    ['9007199254740993', '9007199254740993'],
    ['0xffffffffffffffff', '18446744073709551615'],
    ['2001-01-01', '"2001-01-01"'],
    ['2021-01-01T00:00:00Z', '"2021-01-01T00:00:00Z"'],
    ['1.2.3', '"1.2.3"'],
    ['!!str 12', '"12"'],
    ['! 12', '"12"'],
    ['!!int 12', '12'],
    ['!!float 1', '1'],
    ['!!bool yes', 'true'],
    ['!!null ~', 'null'],
    ['!!binary aGVsbG8=', '"hello"'],
    ['!<tag:yaml.org,2002:str> no', '"no"'],
    ['!!timestamp 2001-01-01', '"2001-01-01"'],
    ['|\n  yes\n', '"yes\\n"'],
  ])('%s is %s', (text, json) => {
    expect(JSON.stringify(decode(`v: ${text}\n`))).toBe(`{"v":${json}}`);
  });

  test('keys become text the way JSON needs them', () => {
    expect(decode('yes: 1\n10: 2\n1.5: 3\noff: 4\n"n": 5\n12345678901234567: 6\n')).toEqual({
      true: 1,
      '10': 2,
      '1.5': 3,
      false: 4,
      n: 5,
      '12345678901234567': 6,
    });
  });
});

describe('collections', () => {
  test('aliases are copies, not shared objects', () => {
    const value = decode('a: &x {k: [1]}\nb: *x\n') as { a: JsonObject; b: JsonObject };
    expect(value.b).toEqual(value.a);
    expect(value.b).not.toBe(value.a);
    expect(value.b.k).not.toBe(value.a.k);
  });

  test('merge keys give way to explicit ones, before or after', () => {
    const text = 'base: &b {x: 1, w: 1}\nmore: &m {w: 2, z: 2}\nout:\n  x: 9\n  <<: [*b, *m]\n  z: 9\n';
    expect((decode(text) as { out: unknown }).out).toEqual({ x: 9, w: 1, z: 9 });
  });

  test('a quoted << is a key', () => {
    expect(decode('"<<": 1')).toEqual({ '<<': 1 });
  });

  test('__proto__ is a plain key', () => {
    const value = decode('__proto__: {polluted: 1}\na: &a {__proto__: 1}\nb:\n  <<: *a\n') as JsonObject;
    expect(Object.keys(value)).toEqual(['__proto__', 'a', 'b']);
    expect(Object.keys(value.b as JsonObject)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test('documents', () => {
    expect(decodeYamlDocuments(Buffer.from('a: 1\n---\n---\n- 2\n'))).toEqual([{ a: 1 }, null, [2]]);
    expect(decodeYamlDocuments(Buffer.from(''))).toEqual([]);
    expect(decode('# only a comment')).toBeNull();
    expect(() => decode('a: 1\n---\nb: 1\n')).toThrow('more than one document');
  });
});

describe('refusals', () => {
  const bomb = ['a: &a0 [x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 30; i += 1) {
    bomb.push(`b${String(i)}: &a${String(i)} [${`*a${String(i - 1)},`.repeat(9)}]`);
  }
  const heavy = `a: &a ${'x'.repeat(500_000)}\nb: [${'*a,'.repeat(100_000)}]`;
  const tower = ['a0: &a0 [x]'];
  for (let i = 1; i < 1_100; i += 1) tower.push(`a${String(i)}: &a${String(i)} [*a${String(i - 1)}]`);

  test.each([
    ['an alias bomb', bomb.join('\n'), 'aliases expand beyond the limit'],
    ['many aliases of a long text', heavy, 'aliases expand beyond the limit'],
    ['a tower of aliases', tower.join('\n'), /nested deeper|aliases expand/],
    ['an alias inside its own anchor', 'a: &a [*a]', 'no complete anchor'],
    ['an unknown alias', 'a: *b', 'no complete anchor'],
    ['duplicate keys', 'a: 1\nb: 2\na: 3\n', 'duplicate key "a"'],
    ['duplicate keys after conversion', '1: a\n"1": b\n', 'duplicate key "1"'],
    ['duplicate keys in JSON', '{"a":{"b":1,"b":2}}', 'duplicate key "a.b"'],
    ['a null key', '~: 1', 'a key must be'],
    ['a list as key', '? [a]\n: 1\n', 'a key must be'],
    ['a custom tag', 'a: !foo 1', 'a tag is not supported'],
    ['a custom collection tag', 'a: !!set {x}', 'is not supported'],
    ['a tag that does not fit', 'a: !!int x', 'is not supported'],
    ['a tag directive', '%TAG !e! tag:e,2000:\n---\na: 1', 'tag directives'],
    ['infinity', 'a: .inf', 'JSON has no number'],
    ['not a number', 'a: .NaN', 'JSON has no number'],
    ['an overflowing float', 'a: 1e999', 'out of range'],
    ['binary that is not base64', 'a: !!binary "*"', 'not base64'],
    ['binary that is not text', 'a: !!binary /w==', 'not UTF-8'],
    ['merging a scalar', '<<: 1', '<< needs a mapping'],
    ['a syntax error', 'a: [1\nb: 2', /invalid YAML: .* at line 2, column/],
    ['tabs as indentation', 'a:\n\tb: 1', 'invalid YAML'],
    ['deep flow nesting', '['.repeat(20_000), 'invalid YAML'],
    [
      'deep block nesting',
      Array.from({ length: 1_200 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      'invalid YAML',
    ],
  ])('%s', (_name, text, message) => {
    expect(() => decode(text)).toThrow(DecodeError);
    expect(() => decode(text)).toThrow(message);
  });

  test('invalid UTF-8', () => {
    expect(() => decodeYaml(Buffer.from([0x61, 0xff]))).toThrow('not valid UTF-8');
  });

  test('nesting up to the limit passes', () => {
    const text = '- '.repeat(900) + 'x';
    expect(JSON.stringify(decode(text))).toBe(`${'['.repeat(900)}"x"${']'.repeat(900)}`);
  });

  test('any text gives a value or a DecodeError', () => {
    const unit = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '-',
      '[',
      ']',
      '{',
      '}',
      '&x',
      '*x',
      '<<',
      '!',
      '"',
      "'",
      '|',
      '?',
      ',',
      '#',
      '1',
      '%',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
        try {
          decode(text);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('encodeYaml', () => {
  test('what is written is read back as it was', () => {
    const tricky = fc.constantFrom(
      'y',
      'no',
      '1',
      '0x1',
      '010',
      '0O0',
      '+0X_1',
      '1e3',
      '~',
      '',
      '<<',
      '2001-01-01',
      ' a',
      'a: b',
      '# c',
      'a\nb\n',
      '.inf',
      '1_0',
      '0o7',
      '-',
      '=',
      '\u2028',
      '0b1',
      '08',
    );
    const values = fc.letrec<{ node: JsonValue }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        tricky,
        fc.string({ unit: 'grapheme' }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .filter((x) => !Object.is(x, -0) && (!Number.isInteger(x) || Number.isSafeInteger(x))),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(tricky, fc.string()), tie('node'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).node;
    fc.assert(
      fc.property(values, (value) => {
        expect(decode(encodeYaml(value))).toEqual(value);
        // As what is large is written, alone and in a list.
        expect(decode(encodeYamlAnswer(value, 0))).toEqual(value);
        expect(decode(`items:\n${encodeYamlItem(value, 0)}${encodeYamlItem(value)}`)).toEqual({
          items: [value, value],
        });
      }),
      { numRuns: 1000 },
    );
  });

  test('what is large takes little longer than JSON, and keys too long to be known as such are marked', () => {
    const data = Object.fromEntries(
      Array.from({ length: 20_000 }, (_unused, i) => [`key-${String(i)}`, 'value: \u0085 #']),
    );
    const text = encodeYamlAnswer({ data });
    expect(text.startsWith('{\n  "data": {')).toBe(true);
    expect(decode(text)).toEqual({ data });
    const key = `\\"${'k'.repeat(2_000)}: `;
    const long = { [key]: { [`${key}\u2028`]: [key] }, data };
    const marked = encodeYamlAnswer(long);
    expect(marked.startsWith('{\n  ? "')).toBe(true);
    expect(decode(marked)).toEqual(long);
    expect(decode(`items:\n${encodeYamlItem(long)}`)).toEqual({ items: [long] });
  });

  test('texts of many lines are not indented line by line where they lie deep', () => {
    const below = (levels: number): JsonValue =>
      JSON.parse(`${'{"a":'.repeat(levels)}"${'a\\n'.repeat(10_000)}"${'}'.repeat(levels)}`) as JsonValue;
    for (const write of [encodeYamlAnswer, encodeYamlItem, inSteps]) {
      const text = write(below(100));
      expect(text.length).toBeLessThan(100_000);
      expect(decode(text)).toEqual(write === encodeYamlItem ? [below(100)] : below(100));
      expect(write(below(1)).startsWith(write === encodeYamlItem ? '- a: |' : 'a: |')).toBe(true);
    }
  });

  function inSteps(value: JsonValue): string {
    return atOnce(yamlInSteps(value)).join('');
  }

  test('exact integers and prototype keys', () => {
    const value = JSON.parse('{"__proto__":{"a":1}}') as JsonObject;
    value.m = JSON.rawJSON('9007199254740993');
    expect(encodeYaml(value)).toBe('__proto__:\n  a: 1\nm: 9007199254740993\n');
  });
});

test('what aliases of a small body add is refused before it holds the thread', () => {
  const members = Array.from({ length: 3_000 }, (_, i) => `k${String(i)}: 1`).join(', ');
  const merges = Array.from({ length: 1_500 }, (_, i) => `z${String(i)}: {<<: *a}`).join('\n');
  const body = Buffer.from(`a: &a {${members}}\n${merges}`);
  expect(
    cpuMsOf(() => expect(() => decodeYaml(body)).toThrow('aliases expand beyond the limit')),
  ).toBeLessThan(cpuBudget(100));
});

test('a key that is repeated thousands of times, deep inside, is written as a path once', () => {
  const depth = 900;
  const nested = (members: string): Buffer =>
    Buffer.from(`${'{k: '.repeat(depth)}{${members}}${'}'.repeat(depth)}`);
  const paths: string[] = [];
  const decoded = (bytes: Buffer): JsonValue =>
    decodeYaml(bytes, { onDuplicates: (all) => paths.push(...all) });
  const bytes = nested('b: 1,'.repeat(60_000));
  expect(cpuMsOf(() => decoded(bytes))).toBeLessThan(cpuBudget(500));
  expect(paths).toHaveLength(1);
  decoded(nested('b: 1, c: 1, b: 2, b: 3, c: 2'));
  expect(paths.slice(1)).toEqual([expect.stringMatching(/\.b$/), expect.stringMatching(/\.c$/)]);
});
