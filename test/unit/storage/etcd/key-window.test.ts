/** Windows of keys: every key is met once, and etcd has to look at few keys for each that it gives. */
import fc from 'fast-check';

import { KeyWindow, mostInWindow } from '../../../../src/storage/etcd/key-window.ts';

const range = { key: Buffer.from('/registry/'), range_end: Buffer.from('/registry0') };

/** How many of the sorted keys come before one. */
function placeOf(keys: readonly Buffer[], key: Buffer): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(keys[middle] ?? key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads all keys in pages as etcd gives them. */
function readAll(names: readonly string[], limit: number) {
  const keys = names.map((name) => Buffer.from(`/registry/${name}`)).sort((a, b) => a.compare(b));
  const window = new KeyWindow(range);
  const met: Buffer[] = [];
  let [requests, visited] = [0, 0];
  while (!window.isDone && requests < 100_000) {
    const from = placeOf(keys, window.range.key);
    const count = placeOf(keys, window.range.range_end) - from;
    const page = keys.slice(from, from + Math.min(limit, count));
    met.push(...page);
    requests += 1;
    visited += count;
    window.take({ first: page[0], last: page.at(-1), length: page.length, count });
  }
  return { keys, met, requests, visited };
}

test('all keys are met once, in order, however they are distributed', () => {
  const segment = fc.string({ unit: fc.constantFrom('a', 'b', 'z', '0', '9', '-', '.'), maxLength: 8 });
  const name = fc.tuple(segment, segment, segment).map((parts) => parts.join('/'));
  // Each stands for many neighbours, so that windows have to be made smaller and wider again.
  const group = fc.tuple(name, fc.integer({ min: 1, max: 3 * mostInWindow }));
  fc.assert(
    fc.property(fc.array(group, { maxLength: 4 }), fc.integer({ min: 1, max: 2_000 }), (groups, limit) => {
      const names = groups.flatMap(([first, size]) => Array.from({ length: size }, (_, i) => `${first}${i}`));
      const { keys, met } = readAll([...new Set(names)], limit + 50);
      expect(met).toEqual(keys);
    }),
    { numRuns: 15 },
  );
});

const layouts: Record<string, (i: number) => string> = {
  'one namespace': (i) => `core/pods/default/web-${i}`,
  'a hundred namespaces': (i) => `core/pods/team-${i % 100}/web-${i}`,
  'thousands of namespaces': (i) => `core/pods/team-${i % 10_007}-prod/${(i * 7919) % 1_000_003}`,
  'two collections with a gap': (i) => (i % 2 === 0 ? `batch/jobs/default/${i}` : `core/pods/default/${i}`),
};

test.each(Object.entries(layouts))('etcd looks at few keys for each that it gives: %s', (_, nameOf) => {
  const { keys, met, requests, visited } = readAll(
    Array.from({ length: 300_000 }, (_, i) => nameOf(i)),
    2_000,
  );
  expect(met).toHaveLength(keys.length);
  // The first question looks at all, and so may one more where a gap is crossed.
  expect(visited / keys.length).toBeLessThan(12);
  expect(requests).toBeLessThan(1_000);
});

test('a window that is too much in time becomes narrower until it is one key', () => {
  const window = new KeyWindow(range);
  const widths: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    window.narrow();
    widths.push(window.range.range_end.length);
    expect(Buffer.compare(window.range.key, window.range.range_end)).toBeLessThan(0);
  }
  expect(widths).toEqual([...widths].sort((a, b) => a - b));
});
