/** Stored text that is written in steps is the same, byte for byte. */
import { atOnce } from '../../../src/base/sliced-work.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { encodeStoredInSteps } from '../../../src/codec/stored-in-steps.ts';

const many = Array.from({ length: 500 }, (_, i) => ({ name: `part "${String(i)}"`, list: [i, null, {}] }));
const metadata = {
  name: 'it',
  labels: { a: 'b' },
  annotations: { 1: 'x' },
  managedFields: [{ manager: 'm' }],
};
const head = { kind: 'Thing', apiVersion: 'a.test/v1' };

test.each<readonly [string, JsonObject]>([
  ['an object', { ...head, metadata, spec: { many }, status: { many } }],
  ['one with status alone', { ...head, metadata, status: { many } }],
  ['one without status', { status: undefined, ...head, metadata, 7: many, data: { many } }],
  ['one of a few members', { ...head, metadata: {}, spec: {} }],
  ['one without metadata', { spec: { many } }],
  ['nothing', {}],
])('%s', (_what, object) => {
  expect(atOnce(encodeStoredInSteps(object)).toString()).toBe(encodeStored(object).toString());
});

test('a large one takes many steps', () => {
  const steps = [
    ...encodeStoredInSteps({ ...head, metadata, spec: { many: Array(20).fill(many) as JsonObject[] } }),
  ];
  expect(steps.length).toBeGreaterThan(20);
});
