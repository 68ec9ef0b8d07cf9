/** Large YAML beside the main thread: the same values and faults, bounded, and nothing held meanwhile. */
import * as fc from 'fast-check';

import { YamlReader, defaultYamlReaderLimits } from '../../../src/codec/yaml-reader.ts';
import { decodeYaml, encodeYaml } from '../../../src/codec/yaml.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Every body is a large one. */
const limits = { ...defaultYamlReaderLimits, smallBytes: 0 };
const readers: YamlReader[] = [];

function openReader(own: Partial<typeof limits> = {}): YamlReader {
  const reader = new YamlReader({ ...limits, ...own });
  readers.push(reader);
  return reader;
}

afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

/** About 100 bytes a line. */
function manyLines(count: number): Buffer {
  const lines = Array.from({ length: count }, (_, i) => `k${i}: {a: [1, 2.5, true], b: "${'x'.repeat(80)}"}`);
  return Buffer.from(lines.join('\n'));
}

test('the values are those of the decoder itself', async () => {
  const reader = openReader();
  const objects = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>);
  await fc.assert(
    fc.asyncProperty(objects, async (object) => {
      const bytes = Buffer.from(`# no JSON\n${encodeYaml(object)}`);
      expect(JSON.stringify(await reader.decode(bytes))).toBe(JSON.stringify(decodeYaml(bytes)));
    }),
    { numRuns: 100 },
  );
});

test.each([
  'a: 12345678901234567',
  'a: 1e400',
  '__proto__: {a: 1}',
  '[1, 2]',
  '"text"',
  '# nothing',
  'a: *b',
  'a: b: c',
  'a: 1\na: 2',
])('%j is what it is to the decoder', async (text) => {
  const reader = openReader();
  const bytes = Buffer.from(text);
  const outcome = (decode: () => unknown): Promise<unknown> =>
    Promise.resolve()
      .then(decode)
      .then(
        (value) => JSON.stringify(value),
        (error: unknown) => String(error),
      );
  expect(await outcome(() => reader.decode(bytes))).toBe(await outcome(() => decodeYaml(bytes)));
});

test('keys that are given twice are told, the last counts', async () => {
  const told: string[] = [];
  const onDuplicates = (paths: readonly string[]): void => void told.push(...paths);
  expect(await openReader().decode(Buffer.from('a: 1\na: 2'), { onDuplicates })).toEqual({ a: 2 });
  expect(told).toEqual(['a']);
});

test('small YAML and JSON need no thread', async () => {
  const reader = openReader({ smallBytes: 10 });
  expect(await reader.decode(Buffer.from('a: 1'))).toEqual({ a: 1 });
  expect(await reader.decode(Buffer.from('{"a": "as long as it likes"}'))).toEqual({
    a: 'as long as it likes',
  });
  expect(reader.isRunning).toBe(false);
});

test('megabytes do not hold the thread', async () => {
  const reader = openReader();
  await reader.decode(Buffer.from('a: 1'));
  let turns = 0;
  const count = setInterval(() => (turns += 1), 1);
  const bytes = manyLines(10_000);
  const decoded = reader.decode(bytes);
  await waitFor('turns of the loop', () => Promise.resolve(turns >= 3));
  clearInterval(count);
  expect(await decoded).toEqual(decodeYaml(bytes));
});

test('so many may wait, more are refused', async () => {
  const reader = openReader({ maxWaiting: 2 });
  const bytes = manyLines(100);
  const accepted = [reader.decode(bytes), reader.decode(bytes)];
  await expect(reader.decode(bytes)).rejects.toMatchObject({ code: 429 });
  await expect(Promise.all(accepted)).resolves.toHaveLength(2);
});

test('what takes too long is ended; the next body has a new thread', async () => {
  const reader = openReader({ deadlineMs: 1 });
  await expect(reader.decode(manyLines(30_000))).rejects.toMatchObject({ code: 503 });
  expect(reader.isRunning).toBe(false);
  const patient = openReader();
  expect(await patient.decode(Buffer.from('a: 1'))).toEqual({ a: 1 });
});

test('a thread that fails is told of, and replaced', async () => {
  const reader = openReader({ maxMegabytes: 24 });
  await expect(reader.decode(manyLines(30_000))).rejects.toMatchObject({ code: 503 });
  expect(await reader.decode(Buffer.from('a: 1'))).toEqual({ a: 1 });
});

test('an idle thread ends, and close ends what runs', async () => {
  const reader = openReader({ idleMs: 10 });
  await reader.decode(Buffer.from('a: 1'));
  await waitFor('the thread to end', () => Promise.resolve(!reader.isRunning));
  const waiting = reader.decode(manyLines(30_000));
  reader.close();
  await expect(waiting).rejects.toMatchObject({ code: 503 });
  await expect(reader.decode(manyLines(1))).rejects.toMatchObject({ code: 503 });
});
