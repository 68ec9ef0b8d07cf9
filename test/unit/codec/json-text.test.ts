/** What is JSON: the same as for JSON.parse. */
import fc from 'fast-check';
import { isJsonText, isJsonTextInSteps } from '../../../src/codec/json-text.ts';

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function check(text: string): void {
  expect([text, isJsonText(Buffer.from(text))]).toEqual([text, isParsed(text)]);
}

test.each([
  ...[
    '',
    ' ',
    '{}',
    '[]',
    '{ }',
    '[ ]',
    '{"a":1}',
    ' {"a" : [1 , 2 ] } \n',
    '{"a":1}}',
    '{"a":1',
    '{"a"}',
    '{"a":}',
  ],
  ...[
    '{"a":1,}',
    '[1,]',
    '[,1]',
    '{,}',
    '[1 2]',
    '{"a" 1}',
    '{a:1}',
    '[1}',
    '{"a":1]',
    '[[[[]]]]',
    '[[[]]',
    '""',
    '"',
  ],
  ...[
    '"\\"',
    '"\\n"',
    '"\\x"',
    '"\\u12aF"',
    '"\\u12g0"',
    '"\\u12',
    '"\n"',
    '"\u007f é 😀"',
    '\ufeff{}',
    '{}x',
    '{}\u00a0',
  ],
  ...[
    '0',
    '-0',
    '-',
    '01',
    '1.',
    '.5',
    '1.5',
    '1e',
    '1e5',
    '1E+5',
    '1e-05',
    '1e+',
    '+1',
    '--1',
    '1a',
    '-a',
    '0x1',
    'NaN',
  ],
  ...[
    'true',
    'tru',
    'truex',
    'false',
    'null',
    'nul',
    'True',
    '[true,false,null]',
    '{"a":true"b":1}',
    '{"__proto__":1}',
  ],
])('%j', check);

test('values, and those with a character changed, lost or added', () => {
  const at = fc.nat({ max: 500 });
  const character = fc.constantFrom(...'{}[]",:\\ \n0-+.eEtfnu1a'.split(''));
  fc.assert(
    fc.property(fc.jsonValue(), at, character, fc.nat({ max: 1 }), (value, place, other, removed) => {
      const text = JSON.stringify(value, null, place % 3);
      check(text);
      const from = place % (text.length + 1);
      check(text.slice(0, from) + other + text.slice(from + removed));
      check(text.slice(0, from) + text.slice(from + 1));
      check(text.slice(0, from));
    }),
    { numRuns: 2_000 },
  );
});

test('the depth does not matter', () => {
  const depth = 200_000;
  expect(isJsonText(Buffer.from('['.repeat(depth) + ']'.repeat(depth)))).toBe(true);
  expect(isJsonText(Buffer.from('['.repeat(depth) + ']'.repeat(depth - 1)))).toBe(false);
});

test('a large text takes steps of some kilobytes', () => {
  const steps = isJsonTextInSteps(Buffer.from(JSON.stringify(Array.from({ length: 100_000 }, String))));
  let taken = 0;
  let last = steps.next();
  for (; last.done !== true; last = steps.next()) taken += 1;
  expect(last.value).toBe(true);
  expect(taken).toBeGreaterThan(40);
});
