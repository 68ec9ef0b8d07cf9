/** Log records that must fit into one write to a pipe. */
import { boundedLine, boundedRecord } from '../../../src/observe/bounded-record.ts';

const most = 4_096;

function bounded(record: object): Record<string, unknown> {
  const line = boundedRecord(`${JSON.stringify(record)}\n`, most);
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(most);
  expect(line.indexOf('\n')).toBe(line.length - 1);
  return JSON.parse(line) as Record<string, unknown>;
}

test('a record that fits stays as it is', () => {
  const record = `{"level":"info","msg":"${'x'.repeat(most - 26)}"}\n`;
  expect(Buffer.byteLength(record)).toBe(most);
  expect(boundedRecord(record, most)).toBe(record);
});

test('of one that does not, long texts are shortened, and its bytes are told', () => {
  const err = { type: 'Error', message: 'short', stack: '"'.repeat(8_000) };
  const record = { level: 'error', time: 't', component: 'storage', err, msg: 'it failed' };
  const told = bounded(record);
  expect(told).toMatchObject({ ...record, err: { type: 'Error', message: 'short' }, shortenedFrom: 16_121 });
  expect((told['err'] as { stack: string }).stack).toMatch(/^"{1024}…$/);
});

test.each([
  ['long lists', { list: Array.from({ length: 10_000 }, (_, i) => `item ${String(i)}`) }],
  ['large maps', Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`key ${String(i)}`, i]))],
  ['long keys', { ['k'.repeat(5_000)]: 1 }],
  ['deep trees', { tree: tree(6) }],
  ['texts of several bytes for each character', { a: '\u{1f600}'.repeat(3_000), b: '\u0001'.repeat(4_000) }],
])('%s are shortened, too', (_what, fields) => {
  const told = bounded({ level: 'info', time: 't', ...fields, msg: 'about it' });
  expect(told).toMatchObject({ level: 'info', time: 't', msg: 'about it' });
  expect(told['shortenedFrom']).toBeGreaterThan(most);
});

function tree(depth: number): object {
  const text = 'x'.repeat(20);
  return depth === 0
    ? { text }
    : Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, tree(depth - 1)]));
}

test('a line of text is cut between two characters', () => {
  const line = `${'é'.repeat(3_000)}\n`;
  const cut = boundedLine(line, most);
  expect([Buffer.byteLength(cut), cut.replaceAll('é', '')]).toEqual([most, '…\n']);
  expect(boundedLine('short\n', most)).toBe('short\n');
});
