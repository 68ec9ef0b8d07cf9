/** States as files, and what changed between them. */
import fc from 'fast-check';

import { decodeStored } from '../../../src/codec/stored.ts';
import { changesOf } from '../../../src/testing/state/differences.ts';
import { fieldChanges } from '../../../src/testing/state/field-changes.ts';
import { decodeCompact, encodeCompact } from '../../../src/testing/state/compact-state.ts';
import { decodeReadable, encodeReadable } from '../../../src/testing/state/readable-state.ts';
import { KeptState } from '../../../src/testing/host/kept-state.ts';
import type { StateEntry } from '../../../src/testing/state/state-entry.ts';
import { MemoryPlaneEtcd } from '../../../src/testing/host/memory-plane-etcd.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { HandClock } from '../../support/hand-clock.ts';

const latin1 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('latin1');
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array).toString('latin1'));
const word = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'é', '1');
const entry = fc.record(
  {
    key: fc.tuple(fc.constantFrom('core/maps', 'shop.test/shirts'), word).map(([collection, name]) => {
      return Buffer.from(`${collection}/default/${name}`).toString('latin1');
    }),
    value: fc.oneof(
      bytes,
      fc.string().map((text) => Buffer.from(text).toString('latin1')),
    ),
    // The shortest that etcd grants.
    leftMs: fc.integer({ min: 2, max: 7_200 }).map((seconds) => seconds * 1_000),
  },
  { requiredKeys: ['key', 'value'] },
);
const sorted = (entries: readonly StateEntry[]): StateEntry[] =>
  [...entries].sort((a, b) => (a.key < b.key ? -1 : 1));
const entries = fc.uniqueArray(entry, { selector: ({ key }) => key }).map(sorted);

test('compact: what is written is read, byte by byte', async () => {
  await fc.assert(
    fc.asyncProperty(entries, async (state) => {
      expect(await decodeCompact(await encodeCompact(state, 'orch'), 'orch')).toEqual(state);
    }),
  );
});

test('etcd: a state that is put is the state that is kept, and differs in what changed', async () => {
  await fc.assert(
    fc.asyncProperty(entries, entries, async (first, second) => {
      const etcd = new MemoryPlaneEtcd({ clock: new HandClock(), random: systemRandom });
      const state = new KeptState(etcd, '/registry');
      await state.replace(first);
      expect(await state.entries(await etcd.snapshot())).toEqual(first);
      const before = await etcd.snapshot();
      await state.replace(second);
      expect(await state.entries(await etcd.snapshot())).toEqual(second);
      const was = new Map(first.map(({ key, value }) => [key, value]));
      const is = new Map(second.map(({ key, value }) => [key, value]));
      const keys = [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key));
      expect(await state.differences(before)).toEqual(
        keys.sort().map((key) => ({ key, before: was.get(key), after: is.get(key) })),
      );
      expect(await state.entries(before)).toEqual(first);
    }),
  );
});

test('compact: what is no state says so', async () => {
  await expect(decodeCompact(Buffer.from('no gzip'), 'orch')).rejects.toThrow('no state in the compact form');
  const other = await encodeCompact([], 'kubernetes');
  await expect(decodeCompact(other, 'orch')).rejects.toThrow(
    "start the control plane with `naming: 'kubernetes'`",
  );
});

const map = (name: string, more: object = {}) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
  ...more,
});
const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'shirts.shop.test', uid: 'uid-shirts', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { group: 'shop.test', names: { plural: 'shirts', kind: 'Shirt' }, versions: [{ name: 'v1' }] },
};
const shirt = { ...map('blue'), kind: 'Shirt', apiVersion: 'shop.test/v1' };
const collections = {
  'v1 ConfigMap': 'core/configmaps',
  'apiextensions.k8s.io/v1 CustomResourceDefinition': 'apiextensions.k8s.io/customresourcedefinitions',
};
const beginning = [
  { key: 'core/configmaps/default/always', value: latin1(map('always')) },
  { key: 'core/configmaps/default/removed', value: latin1(map('removed')) },
];
const state: StateEntry[] = sorted([
  { key: 'core/configmaps/default/always', value: latin1(map('always')) },
  {
    key: 'core/configmaps/default/short',
    value: latin1(map('short', { data: { text: 'ü' } })),
    leftMs: 90_000,
  },
  { key: 'ranges/serviceips/10.0.0.7', value: latin1({ name: 'web', uid: 'uid-web' }) },
  { key: 'shop.test/shirts/default/blue', value: latin1(shirt) },
  { key: 'apiextensions.k8s.io/customresourcedefinitions/shirts.shop.test', value: latin1(definition) },
]);

test('readable: what differs from the beginning, in order and without noise', () => {
  const noisy = state.map((each) =>
    each.key.endsWith('short')
      ? {
          ...each,
          value: latin1(map('short', { data: { text: 'ü' } })).replace(
            '"uid":',
            '"managedFields":[{"manager":"test"}],"uid":',
          ),
        }
      : each,
  );
  const text = encodeReadable(noisy, beginning);
  expect(text).not.toMatch(/always|managedFields/);
  expect(text.indexOf('shirts.shop.test')).toBeLessThan(text.indexOf('kind: ConfigMap'));
  expect(text).toMatch(/expires:\n {2}core\/configmaps\/default\/short: 1m30s/);
  expect(text).toMatch(/removed:\n {2}- core\/configmaps\/default\/removed/);
  expect(encodeReadable(noisy, beginning, { managedFields: true })).toContain('manager: test');
});

test('readable: what is written is read', () => {
  const read = decodeReadable(Buffer.from(encodeReadable(state, beginning)), { beginning, collections });
  const parsed = (entries: readonly StateEntry[]): unknown[] =>
    entries.map(({ value, ...rest }) => ({ ...rest, value: decodeStored(Buffer.from(value, 'latin1')) }));
  expect(parsed(read)).toEqual(parsed(state));
});

test('readable: objects that were added by hand get a uid and a time', () => {
  const text =
    'kind: List\nitems: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: new, namespace: default } }]';
  const read = decodeReadable(Buffer.from(text), { beginning: [], collections });
  expect(read).toEqual([
    { key: 'core/configmaps/default/new', value: expect.stringMatching(/"uid":"[-0-9a-f]{36}"/) as string },
  ]);
});

test.each([
  ['a: [', 'it is no YAML'],
  ['kind: Pod', 'it has no `kind: List` with items'],
  [
    'kind: List\nitems: [{ apiVersion: v9, kind: Cat, metadata: { name: tom } }]',
    'no kind Cat is served in v9, of Cat tom',
  ],
  ['kind: List\nitems: [{ apiVersion: v1, kind: ConfigMap }]', 'an item has no metadata.name'],
])('readable: %j says what is wrong', (text, message) => {
  expect(() => decodeReadable(Buffer.from(text), { beginning: [], collections })).toThrow(message);
});

test('the fields that differ have paths', () => {
  const before = {
    metadata: { labels: { 'a/b': 'x' }, managedFields: [1] },
    spec: { list: [1, { deep: true }], gone: null },
  };
  const after = {
    metadata: { labels: { 'a/b': 'y' }, managedFields: [2] },
    spec: { list: [1, { deep: false }, 3] },
    status: {},
  };
  expect(fieldChanges(before, after)).toEqual([
    { path: 'metadata.labels["a/b"]', before: 'x', after: 'y' },
    { path: 'spec.list[1].deep', before: true, after: false },
    { path: 'spec.list[2]', before: undefined, after: 3 },
    { path: 'spec.gone', before: null, after: undefined },
    { path: 'status', before: undefined, after: {} },
  ]);
  expect(fieldChanges({ a: [] }, { a: {} })).toEqual([{ path: 'a', before: [], after: {} }]);
  expect(fieldChanges({ ['__proto__x']: 1 }, JSON.parse('{"__proto__":1,"__proto__x":1}'))).toEqual([
    { path: '__proto__', before: undefined, after: 1 },
  ]);
});

test('fields differ where values do, and nowhere else', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (a, b) => {
      const [before, after] = [{ spec: a }, { spec: b }];
      expect(fieldChanges(before, before)).toEqual([]);
      const changes = fieldChanges(before, after);
      const isSame = JSON.stringify(a) === JSON.stringify(b);
      if (isSame)
        expect(
          changes.filter(({ before: x, after: y }) => !Object.is(x, y) && !(x === 0 && y === 0)),
        ).toEqual([]);
      const back = fieldChanges(after, before);
      expect(new Set(back.map(({ path }) => path))).toEqual(new Set(changes.map(({ path }) => path)));
    }),
  );
});

test('changes: added, changed and deleted objects; one that was made again is both', () => {
  const { text, ...changes } = changesOf([
    { key: 'a', before: undefined, after: latin1(map('new')) },
    { key: 'b', before: latin1(map('old')), after: undefined },
    {
      key: 'c',
      before: latin1(map('one', { data: { a: '1' } })),
      after: latin1(map('one', { data: { a: '2' } })),
    },
    {
      key: 'd',
      before: latin1(map('again')),
      after: latin1({ ...map('again'), metadata: { name: 'again', namespace: 'default', uid: 'other' } }),
    },
    { key: 'e', before: undefined, after: latin1({ name: 'claim' }) },
    { key: 'f', before: latin1(map('same')), after: `${latin1(map('same'))} ` },
  ]);
  expect(changes.added.map(({ metadata }) => metadata.name)).toEqual(['again', 'new']);
  expect(changes.deleted.map(({ metadata }) => metadata.name)).toEqual(['again', 'old']);
  expect(changes.changed).toMatchObject([{ fields: [{ path: 'data.a', before: '1', after: '2' }] }]);
  expect(text).toBe(
    [
      '+ ConfigMap default/again',
      '+ ConfigMap default/new',
      '~ ConfigMap default/one',
      '    data.a: "1" → "2"',
      '- ConfigMap default/again',
      '- ConfigMap default/old',
    ].join('\n'),
  );
  expect(changesOf([]).text).toBe('Nothing has changed.');
});
