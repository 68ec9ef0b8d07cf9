/** Selectors read the labels of a large collection where its texts lie, and leave it without objects. */
import { itemHeadOf } from '../../../src/codec/list-page.ts';
import { labelsOf } from '../../../src/registry/read/entry-labels.ts';
import { CollectionView } from '../../../src/storage/view/collection.ts';
import { packTexts } from '../../../src/storage/view/packing.ts';
import { RowEntry } from '../../../src/storage/view/row-entry.ts';
import { StoredEntry } from '../../../src/storage/view/stored-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';

const limits = { maxPastStates: 10, maxPastStateBytes: 1e9, maxAgeMs: 1e9, leastFolded: 1 };
const count = 3_000;
const head = itemHeadOf({ kind: 'ConfigMap', apiVersion: 'v1' });

const nameOf = (i: number): string => `ns/m${String(i).padStart(5, '0')}`;
/** Labels as they are stored, and as earlier versions stored them: in front. */
const metadataOf = [
  (i: number) => `"name":"m","uid":"u","generation":3,"creationTimestamp":"t","labels":{"slot":"${i}"}`,
  (i: number) => `"labels":{"slot":"${i}"},"name":"m"`,
  (i: number) => `"name":"m","annotations":{"labels":"{${i}"}`,
  (i: number) => `"name":"m","finalizers":["${i}"],"labels":{"slot":"not theirs"}`,
];

function loaded(): CollectionView {
  const view = new CollectionView('core/configmaps', 0, limits);
  const page = Array.from({ length: count }, (_none, i) => {
    const metadata = metadataOf[i % metadataOf.length]?.(i) ?? '';
    const text = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{${metadata}},"data":{"x":"${'y'.repeat(500)}"}}`;
    const parts = { collection: 'core/configmaps', key: nameOf(i), modRevision: 7, mark: 1 };
    return new StoredEntry({ ...parts, bytes: Buffer.from(text) });
  });
  for (const entry of page) view.load(entry);
  packTexts(page, head);
  view.foldLoaded();
  return view;
}

const all = (view: CollectionView): Entry[] => [...view.entries()];

const expected = Array.from({ length: count }, (_none, i) => (i % 4 < 2 ? { slot: String(i) } : {}));

test('no text is copied for its labels', () => {
  const view = loaded();
  const bytes = jest.spyOn(RowEntry.prototype, 'bytes', 'get');
  try {
    expect(all(view).map((entry) => labelsOf(entry, ['slot']))).toEqual(expected);
    expect(bytes).not.toHaveBeenCalled();
  } finally {
    bytes.mockRestore();
  }
});

test('a collection whose labels were read has as few objects as before', () => {
  const view = loaded();
  for (const entry of all(view)) labelsOf(entry, ['slot']);
  const first = all(view);
  expect(all(view).filter((entry, i) => entry === first[i]).length).toBeLessThan(64);
});

test('what changed keeps its labels, and they are what they were', () => {
  const view = loaded();
  const previous = view.change(nameOf(0), undefined, 8, 0);
  expect(previous && labelsOf(previous, ['slot'])).toEqual(expected[0]);
  expect(previous && labelsOf(previous, ['slot'])).toBe(previous && labelsOf(previous, ['slot']));
  expect(all(view).map((entry) => labelsOf(entry, ['slot']))).toEqual(expected.slice(1));
});
