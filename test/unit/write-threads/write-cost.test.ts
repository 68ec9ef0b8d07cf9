/** Which writes are large: by the members of a body as well as by its bytes. */
import fc from 'fast-check';
import { costOfBody, costsMoreThan } from '../../../src/write-threads/write-cost.ts';

const limit = 64 * 1024;
const cost = (body: string, operation: 'create' | 'apply' = 'create', contentType?: string): number =>
  costOfBody({ operation, body: Buffer.from(body), contentType }, limit);
const list = (count: number): string =>
  JSON.stringify({ list: Array.from({ length: count }, (_, i) => ({ uid: String(i) })) });

test('bytes count, and each member besides', () => {
  expect(cost('')).toBe(0);
  expect(cost('{"a":"bcd"}')).toBe(11);
  expect(cost('{"a":1,"b":2,"c":3}')).toBeGreaterThan(19 + 2 * 10);
});

test('thousands of short members are large, an ordinary body is not', () => {
  expect(list(4_000).length).toBeLessThan(limit);
  expect(cost(list(4_000))).toBeGreaterThan(limit);
  expect(cost(list(1_000))).toBeLessThan(limit);
  expect(cost(JSON.stringify({ data: { a: 'x'.repeat(60_000) } }))).toBeLessThan(limit);
});

test('lists below lists are members, which no comma separates', () => {
  const keys = Array.from(
    { length: 28 },
    (_, i) => `k:{"a":${'['.repeat(900)}${String(i)}${']'.repeat(900)}}`,
  );
  const body = JSON.stringify({ fieldsV1: Object.fromEntries(keys.map((key) => [key, {}])) });
  expect(body.length).toBeLessThan(limit);
  expect(cost(body)).toBeGreaterThan(limit);
  expect(cost(JSON.stringify({ rules: Array(200).fill({ verbs: ['get'] }) }))).toBeLessThan(limit);
});

test('members of applied configurations count more, and lines of YAML as members', () => {
  expect(cost(list(1_500))).toBeLessThan(limit);
  expect(cost(list(1_500), 'apply')).toBeGreaterThan(limit);
  expect(cost('- a\n'.repeat(2_000), 'apply')).toBeGreaterThan(limit);
  expect(cost('- a\n'.repeat(200), 'apply')).toBeLessThan(limit);
});

test('lines of YAML are members of what is created, too', () => {
  const lines = '- a\n'.repeat(4_000);
  expect(cost(lines)).toBeLessThan(limit);
  expect(cost(lines, 'create', 'application/yaml')).toBeGreaterThan(limit);
  expect(cost('a: b\n'.repeat(500), 'create', 'application/yaml')).toBeLessThan(limit);
});

test('counting ends beyond the limit', () => {
  const most = cost(','.repeat(60_000));
  expect(most).toBeGreaterThan(limit);
  expect(most).toBeLessThan(limit + 100);
});

test('whether a body costs more is told without counting where it is short, and the same', () => {
  const bodies = fc.string({ unit: fc.constantFrom(',', '\n', '[', 'a'), maxLength: 200 });
  const operations = fc.constantFrom('create' as const, 'apply' as const);
  fc.assert(
    fc.property(bodies, operations, fc.integer({ min: -1, max: 3_000 }), (text, operation, most) => {
      const write = { operation, body: Buffer.from(text), contentType: undefined };
      expect(costsMoreThan(write, most)).toBe(costOfBody(write, Infinity) > most);
    }),
  );
});

test('YAML counts more than JSON that is sent as YAML', () => {
  const text = 'x'.repeat(20_000);
  expect(cost(`a: ${text}`, 'create', 'application/yaml')).toBeGreaterThan(limit);
  expect(cost(`{a: ${text}}`, 'create', 'application/yaml')).toBeGreaterThan(limit);
  expect(cost(JSON.stringify({ a: text }), 'create', 'application/yaml')).toBeLessThan(limit);
  expect(cost(`a: ${text}`, 'create', 'application/json')).toBeLessThan(limit);
});
