/** Lines of watches of other servers: long ones, and those of many watches at once, are parsed in short turns. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { JsonObject } from '../../../src/base/json.ts';
import { linesOf } from '../../../src/webhook/api-transport.ts';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

const longest = 4 * 1024 * 1024;

/** A watch that has sent all of it. */
function watch(text: string): IncomingMessage {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
    bytes.subarray(i * 65_536, (i + 1) * 65_536),
  );
  return Object.assign(Readable.from(chunks), { statusCode: 200 }) as unknown as IncomingMessage;
}

async function read(text: string): Promise<JsonObject[]> {
  const values: JsonObject[] = [];
  for await (const value of linesOf(watch(text), longest)) values.push(value);
  return values;
}

/** Processor time of the longest turn in which so many watches are read. */
function longestTurn(count: number, text: string): Promise<number> {
  return leastOfThree(async () => {
    const [most = Infinity] = await turnsOf(() =>
      Promise.all(Array.from({ length: count }, () => read(text))),
    );
    return most;
  });
}

test('a line of 3 MB is parsed in short turns', async () => {
  // Behind it, the garbage of the line would count as a slow machine.
  const budget = cpuBudget(25);
  const line = `{"type":"ADDED","object":[${'{},'.repeat(1_000_000)}{}]}\n`;
  expect(await longestTurn(1, line)).toBeLessThan(budget);
});

test('events of a hundred watches that come at once are parsed in short turns', async () => {
  const event = JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a', labels: { a: 'b' } } } });
  expect(await longestTurn(100, `${event}\n`.repeat(500))).toBeLessThan(cpuBudget(20));
});

test('lines that are no objects are left out', async () => {
  const long = `[${'1,'.repeat(20_000)}1]`;
  expect(await read(`{"a":1}\n\n7\n{"a"\n${long}\n{"b":${long}}\n${'{'.repeat(20_000)}\n{"c":1}\n`)).toEqual([
    { a: 1 },
    { b: JSON.parse(long) as unknown },
    { c: 1 },
  ]);
});
