/** Labels of stored objects that have very many are found without parsing them all, and are those that parsing finds. */
import { atOnce } from '../../../src/base/sliced-work.ts';
import { readLabels, readLabelsInSteps } from '../../../src/codec/stored.ts';
import { readLabelsAmong } from '../../../src/codec/stored-labels.ts';

const long = 'x'.repeat(20_000);

function stored(labels: object): Buffer {
  const metadata = { labels, name: 'a', app: 'not a label', text: long };
  return Buffer.from(JSON.stringify({ kind: 'K', apiVersion: 'v1', metadata, spec: { app: 'nor this' } }));
}

test.each([
  ['no labels', {}],
  ['few', { app: 'web' }],
  ['one that is no text at the end', { tier: 'front', other: 1 }],
  [
    'thousands',
    { app: 'web', ...Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, `v${i}`])) },
  ],
])('%s: what is asked for is what parsing finds', (_name, labels) => {
  const bytes = stored(labels);
  const names = ['app', 'tier', 'k2999', 'absent'];
  const all = readLabels(bytes);
  const wanted = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  const found = readLabelsAmong(bytes, names) ?? wanted;
  expect(found).toEqual(wanted);
  expect(atOnce(readLabelsInSteps(bytes))).toEqual(all);
});

test('thousands are parsed in steps', () => {
  const labels = Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [`k${i}`, `v${i}`]));
  expect([...readLabelsInSteps(stored(labels))].length).toBeGreaterThan(5);
});
