/** What the view does with events that do not come once and in order, and how a collection of it is replaced. */
import { Slice } from '../../../../src/base/cooperate.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { Transformer } from '../../../../src/storage/encryption/transformer.ts';
import type { EtcdEvent } from '../../../../src/storage/etcd/message-types.ts';
import { KeySpace } from '../../../../src/storage/keys.ts';
import { defaultLimits as limits } from '../../../../src/storage/options.ts';
import { EntryReader } from '../../../../src/storage/view/entry-reader.ts';
import { applyRecorded } from '../../../../src/storage/view/recording.ts';
import { View } from '../../../../src/storage/view/view.ts';
import { lineOf, pods, recordingLogger } from '../../../support/storage.ts';

const clock = systemClock;
const keys = new KeySpace('/registry');
const transformer = new Transformer(
  { clock, word: '', metrics: {}, onRecovered: () => undefined },
  undefined,
);
const logger = recordingLogger();
const recode = (): undefined => undefined;
const entries = new EntryReader({ keys, transformer, metrics: {}, logger, recode });

function newView(): View {
  const view = new View({ keys, entries, clock, limits });
  view.replaceBy(view.draft(10), { epoch: 0, name: undefined });
  return view;
}

function put(name: string, revision: number): EtcdEvent {
  return event(0, name, revision);
}

function deletion(name: string, revision: number): EtcdEvent {
  return event(1, name, revision);
}

function event(type: number, name: string, revision: number): EtcdEvent {
  const value = Buffer.from(String(revision));
  const kv = { key: keys.object(pods, name), value, create_revision: revision, version: 1 };
  return { type, kv: { ...kv, mod_revision: revision }, prev_kv: undefined };
}

/** Keys with their revisions. */
function stateOf(view: View): Record<string, number> {
  const all = view.collection(pods).snapshot(view.revision).entries('', '');
  return Object.fromEntries(Array.from(all, ({ key, modRevision }) => [key, modRevision]));
}

test('events that come twice are applied once, those of one transaction too', () => {
  const view = newView();
  const transaction = [put('a', 11), put('b', 11), deletion('c', 11)];
  expect(view.apply([...transaction, ...transaction]).map(lineOf)).toEqual([
    '11 put a 11:11 was -',
    '11 put b 11:11 was -',
  ]);
  expect(view.apply(transaction)).toEqual([]);
  expect([view.revision, view.appliedRevisions, view.lateEvents]).toEqual([11, 1, 0]);
});

test.each([
  ['in the same response', [[put('a', 11), put('b', 13), put('a', 12)]]],
  ['in a later response', [[put('a', 11), put('b', 13)], [put('a', 12)]]],
] as const)('events behind newer ones are skipped and counted: %s', (_where, responses) => {
  const view = newView();
  for (const response of responses) view.apply(response);
  expect([view.revision, view.lateEvents, stateOf(view)]).toEqual([13, 1, { a: 11, b: 13 }]);
});

test('a collection is replaced with the next revision, brought up to it; then older history is not to be shown', async () => {
  const view = newView();
  view.apply([put('a', 11), put('b', 12)]);
  const recording = view.record(pods);
  view.distrust(pods);
  const draft = view.draft(13);
  await draft.addAll([put('a', 11).kv, put('lost', 13).kv], new Slice());
  const collection = draft.collection(pods);
  view.adoptNext(collection, () => {
    for (const change of recording.take()) if (change.revision > 13) applyRecorded(collection, change, 0);
    return true;
  });
  // Seen before; nothing new.
  view.apply([put('b', 12)]);
  expect([view.takeAdopted(), view.trustedFrom(pods)]).toEqual([undefined, 0]);
  view.apply([deletion('b', 13), put('c', 14), put('c', 15)]);
  expect([view.takeAdopted(), view.takeAdopted()]).toEqual([pods, undefined]);
  expect([stateOf(view), view.trustedFrom(pods)]).toEqual([{ a: 11, lost: 13, c: 15 }, 15]);
  recording.close();
  view.apply([put('d', 16)]);
  expect([stateOf(view).d, recording.size]).toEqual([16, 0]);
  // Also a state that is loaded later.
  view.replaceBy(view.draft(20), { epoch: 0, name: undefined });
  expect(view.trustedFrom(pods)).toBe(15);
  view.replaceBy(view.draft(5), { epoch: 0, name: undefined });
  expect(view.trustedFrom(pods)).toBe(0);
});

test('a collection that differs is loaded with everything else: history before that is not to be shown', () => {
  const view = newView();
  view.distrust(pods);
  view.adoptNext(view.draft(10).collection(pods), () => true);
  view.replaceBy(view.draft(20), { epoch: 0, name: undefined });
  view.apply([put('a', 21)]);
  expect([view.takeAdopted(), view.trustedFrom(pods), stateOf(view)]).toEqual([undefined, 20, { a: 21 }]);
});

describe('collections that are empty', () => {
  const compaction = (revision: number, compactedAt: number): EtcdEvent => {
    const kv = { key: keys.compaction(), value: Buffer.from(String(compactedAt)) };
    const versions = { create_revision: 1, version: 2, mod_revision: revision };
    return { type: 0, kv: { ...kv, ...versions }, prev_kv: undefined };
  };
  const ids = (view: View): string[] => Array.from(view.collections(), ({ id }) => id);

  test('are dropped once that is compacted and nobody has used them since the compaction before', () => {
    const view = newView();
    view.apply([put('a', 11), deletion('a', 12), compaction(13, 12)]);
    view.sweep();
    view.apply([compaction(14, 13)]);
    expect([view.sweep(), ids(view)]).toEqual([true, []]);
    // Every revision that may still be read shows it empty, and a later object is there as ever.
    expect(view.collection(pods).stateAt(13, view.revision)?.size).toBe(0);
    view.apply([put('b', 15)]);
    expect(stateOf(view)).toEqual({ b: 15 });
    expect(view.collection(pods).stateAt(14, view.revision)?.size ?? 0).toBe(0);
  });

  test('stay while they are used, hold objects, changed after the compaction, or are recorded', () => {
    const view = newView();
    view.apply([put('a', 11), compaction(12, 11)]);
    view.sweep();
    view.apply([compaction(13, 12)]);
    view.sweep();
    expect(ids(view)).toEqual([pods]); // It holds an object.
    view.apply([deletion('a', 14), compaction(15, 13)]);
    view.sweep();
    view.apply([compaction(16, 14)]);
    view.sweep();
    expect(ids(view)).toEqual([pods]); // At the compaction it just became empty.
    view.apply([compaction(17, 15)]);
    view.collection(pods);
    view.sweep();
    expect(ids(view)).toEqual([pods]);
    const recording = view.record(pods);
    view.apply([compaction(18, 16)]);
    view.sweep();
    expect(ids(view)).toEqual([pods]);
    recording.close();
    view.apply([compaction(19, 17)]);
    view.sweep();
    expect(ids(view)).toEqual([]);
  });

  test('are looked for once for each compaction', () => {
    const view = newView();
    expect(view.sweep()).toBe(false);
    view.apply([compaction(11, 10)]);
    expect([view.sweep(), view.sweep()]).toEqual([true, false]);
  });
});
