/** JSON that is parsed in pieces: the same values and the same refusals as JSON.parse. */
import fc from 'fast-check';
import type { JsonValue } from '../../../src/base/json.ts';
import { laterTurn } from '../../../src/base/cooperate.ts';
import { parseInSlices } from '../../../src/codec/sliced-json.ts';
import { cpuBudget } from '../../support/cpu-time.ts';

type Outcome = { readonly value: JsonValue } | 'refused';

function atOnce(text: string): Outcome {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return 'refused';
  }
}

async function inSlices(text: string, pieceBytes: number): Promise<Outcome> {
  try {
    return { value: await parseInSlices(Buffer.from(text), { breathe: () => undefined, pieceBytes }) };
  } catch (error) {
    if (error instanceof SyntaxError) return 'refused';
    throw error;
  }
}

/** Keys and their order count, too. */
function shown(outcome: Outcome): string {
  return JSON.stringify(outcome);
}

const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, space]) => JSON.stringify(value, undefined, space));

test('values are those of JSON.parse', async () => {
  await fc.assert(
    fc.asyncProperty(spaced, fc.integer({ min: 0, max: 40 }), async (text, pieceBytes) => {
      expect(shown(await inSlices(text, pieceBytes))).toBe(shown(atOnce(text)));
    }),
    { numRuns: 1_000 },
  );
});

test('texts that are nearly JSON are refused like those of JSON.parse', async () => {
  const tokens = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"b":',
    '"__proto__":',
    '1',
    'null',
    ' ',
    '"',
    '\\',
    'x',
  ];
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...tokens), { maxLength: 14 }).map((list) => list.join('')),
    fc.tuple(spaced, fc.nat(), fc.constantFrom('', ...tokens)).map(([text, at, token]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + token + text.slice(place + 1);
    }),
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 0, max: 12 }), async (text, pieceBytes) => {
      expect(shown(await inSlices(text, pieceBytes))).toBe(shown(atOnce(text)));
    }),
    { numRuns: 5_000 },
  );
});

test.each(['{"a":1{"b":null,"c":2}}', '{"a":-{"b":null,"c":2}}', '{"a":1[2,3]}', '{"a":"x"{"b":1,"c":2}}'])(
  'two values without a comma are refused: %s',
  async (text) => {
    await expect(
      parseInSlices(Buffer.from(text), { breathe: () => undefined, pieceBytes: 0 }),
    ).rejects.toThrow(SyntaxError);
  },
);

test.each([0, 16, 100_000])('what nests too deep is refused, in pieces of %s bytes', async (pieceBytes) => {
  // Brackets in texts do not count, and values beside each other do not add.
  const text = String.raw`["[[[[[[[[",{"a\\\"[":[2,{"b":[3,[4]]}]},[[[5]]]]`;
  const nested = (maxDepth: number): Promise<JsonValue> =>
    parseInSlices(Buffer.from(text), { breathe: () => undefined, pieceBytes, maxDepth });
  await expect(nested(5)).rejects.toThrow(SyntaxError);
  expect(JSON.stringify(await nested(6))).toBe(text);
  await expect(
    parseInSlices(Buffer.from('['.repeat(100_000)), {
      breathe: () => undefined,
      pieceBytes,
      maxDepth: 1_000,
    }),
  ).rejects.toThrow(SyntaxError);
});

test.each([
  ['short texts', JSON.stringify({ a: { b: Array.from({ length: 150_000 }, (_, i) => i.toString(36)) } })],
  ['empty objects', JSON.stringify(Array.from({ length: 400_000 }, () => ({})))],
  [
    'keys',
    JSON.stringify(Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => [`k${String(i)}`, 1]))),
  ],
])('a megabyte of %s is parsed in short steps', async (_, text) => {
  const bytes = Buffer.from(text);
  let steps = 0;
  let begin = process.threadCpuUsage();
  const lengths: number[] = [];
  const value = await parseInSlices(bytes, {
    breathe: async () => {
      const { user, system } = process.threadCpuUsage(begin);
      lengths.push((user + system) / 1000);
      steps += 1;
      await laterTurn();
      begin = process.threadCpuUsage();
    },
  });
  expect(JSON.stringify(value)).toBe(text);
  expect(steps).toBeGreaterThan(40);
  // One of them may have a garbage collection in it.
  expect(lengths.toSorted((a, b) => b - a)[3]).toBeLessThan(cpuBudget(12));
});
