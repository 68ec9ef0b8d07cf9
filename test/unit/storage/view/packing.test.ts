/** Texts of a state that is loaded lie in memory as lists send them, and nothing of the messages they came in is kept. */
import { queryObjects } from 'node:v8';
import { systemClock } from '../../../../src/base/clock.ts';
import { laterTurn, Slice } from '../../../../src/base/cooperate.ts';
import { itemHeadOf, listSlices } from '../../../../src/codec/list-page.ts';
import { Transformer } from '../../../../src/storage/encryption/transformer.ts';
import type { KeyValue } from '../../../../src/storage/etcd/message-types.ts';
import { KeySpace } from '../../../../src/storage/keys.ts';
import { defaultLimits as limits } from '../../../../src/storage/options.ts';
import { EntryReader } from '../../../../src/storage/view/entry-reader.ts';
import type { ItemHead } from '../../../../src/storage/view/packing.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';
import { View } from '../../../../src/storage/view/view.ts';
import { ViewDraft } from '../../../../src/storage/view/view-draft.ts';
import { packsMoved } from '../../../support/pack-moves.ts';
import { recordingLogger } from '../../../support/storage.ts';

const keys = new KeySpace('/registry');
const maps = 'core/configmaps';
const ranges = 'ranges/x';
const head = itemHeadOf({ kind: 'ConfigMap', apiVersion: 'v1' });
const heads: ItemHead = (collection) => (collection === ranges ? undefined : head);
const transformer = new Transformer(
  { clock: systemClock, word: '', metrics: {}, onRecovered: () => undefined },
  undefined,
);
const entries = new EntryReader({
  ...{ keys, transformer, metrics: {}, logger: recordingLogger() },
  recode: () => undefined,
});

/** As a page of etcd has them: all in one message. */
function page(collection: string, texts: readonly string[]): KeyValue[] {
  const message = Buffer.alloc(texts.reduce((sum, text) => sum + text.length, 0));
  let at = 0;
  return texts.map((text, i) => {
    const value = message.subarray(at, (at += message.write(text, at)));
    const key = keys.object(collection, `ns/${String(i).padStart(5, '0')}`);
    return { key, value, create_revision: 1, mod_revision: 100 + i, version: 1 };
  });
}

function map(i: number, bytes: number): string {
  return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m${i}"},"data":{"x":"${'x'.repeat(bytes)}"}}`;
}

async function load(pages: readonly (readonly KeyValue[])[], itemHead?: ItemHead): Promise<ViewDraft> {
  const draft = new ViewDraft(10_000, { keys, entries, limits, itemHead });
  for (const kvs of pages) await draft.addAll(kvs, new Slice());
  return draft;
}

function loaded(draft: ViewDraft, collection = maps): StoredEntry[] {
  return [...draft.collection(collection).entries()] as StoredEntry[];
}

function loadedOf(view: View): StoredEntry[] {
  return [...view.collection(maps).entries()] as StoredEntry[];
}

const memoryOf = (entry: StoredEntry): ArrayBufferLike => (entry.pack?.memory ?? entry.bytes).buffer;

test('a page lies in one piece of memory, and its objects are what they were', async () => {
  const texts = Array.from({ length: 200 }, (_none, i) => map(i, 1_000));
  const packed = loaded(await load([page(maps, texts)], heads));
  const alone = loaded(await load([page(maps, texts)]));
  expect(new Set(packed.map(memoryOf)).size).toBe(1);
  expect(new Set(alone.map(memoryOf)).size).toBe(200);
  const told = ({ key, modRevision, bytes, size }: StoredEntry): unknown[] => [
    key,
    modRevision,
    bytes.toString(),
    size,
  ];
  expect(packed.map(told)).toEqual(alone.map(told));
});

test('a list of what was loaded copies nothing', async () => {
  const texts = Array.from({ length: 1_000 }, (_none, i) => map(i, 1_000));
  const packed = loaded(await load([page(maps, texts)], heads));
  const list = { kind: 'ConfigMapList', apiVersion: 'v1', resourceVersion: '9', itemHead: head };
  const allocate = (): Buffer => {
    throw new Error('it copies');
  };
  for (let i = 0; i < 3; i += 1) {
    const text = Buffer.concat([...listSlices(list, packed, { bytes: 65_536, allocate })]).toString();
    expect((JSON.parse(text) as { items: unknown[] }).items).toHaveLength(1_000);
  }
});

test('large texts, which may rest, few bytes and what is no object lie alone; none in the message', async () => {
  const large = page(maps, [...Array.from({ length: 30 }, (_none, i) => map(i, 1_000)), map(30, 20_000)]);
  const few = page(
    ranges,
    Array.from({ length: 30 }, () => `"${'x'.repeat(1_000)}"`),
  );
  const draft = await load([large, few], heads);
  const isAlone = (entry: StoredEntry): boolean => entry.bytes.buffer.byteLength === entry.size;
  const all = loaded(draft);
  expect(all.map(({ pack }) => pack === undefined)).toEqual(
    Array.from({ length: 31 }, (_none, i) => i === 30),
  );
  expect(all.slice(30).every(isAlone)).toBe(true);
  expect(loaded(draft, ranges).every(isAlone)).toBe(true);
  const short = loaded(await load([page(maps, [map(0, 10), map(1, 10)])], heads));
  expect(short.map((entry) => [entry.pack, isAlone(entry)])).toEqual([
    [undefined, true],
    [undefined, true],
  ]);
});

test('neighbours of another kind, and of another collection, lie elsewhere', async () => {
  const other = (i: number): string => map(i, 1_000).replace('"ConfigMap"', '"Other"');
  const texts = Array.from({ length: 90 }, (_none, i) => (i < 30 || i >= 60 ? map(i, 1_000) : other(i)));
  const secrets = Array.from({ length: 30 }, (_none, i) => map(i, 1_000));
  const draft = await load([[...page(maps, texts), ...page('core/secrets', secrets)]], heads);
  const all = loaded(draft);
  expect(all.map(({ bytes }) => bytes.toString())).toEqual(texts);
  expect(new Set(all.map(memoryOf)).size).toBe(3);
  expect(loaded(draft, 'core/secrets').map(({ bytes }) => bytes.toString())).toEqual(secrets);
});

test('what is loaded lies in memory that other threads can read, and that no heap counts as its own', async () => {
  const texts = Array.from({ length: 30 }, (_none, i) => map(i, 1_000));
  const packed = loaded(await load([page(maps, texts)], heads));
  expect(packed.every((entry) => memoryOf(entry) instanceof SharedArrayBuffer)).toBe(true);
});

test('an object of a pack has no buffer of its own', async () => {
  const buffers = (): number => Number(queryObjects(Buffer));
  const texts = Array.from({ length: 2_000 }, (_none, i) => map(i, 1_000));
  const before = buffers();
  const draft = await load([page(maps, texts)], heads);
  const after = buffers();
  expect(draft.size.objects).toBe(2_000);
  expect(after - before).toBeLessThan(100);
});

test('beside its text an object takes some 200 bytes', async () => {
  const heap = (): number => {
    // It collects all that is not reachable.
    queryObjects(ViewDraft);
    return process.memoryUsage().heapUsed;
  };
  const texts = Array.from({ length: 1_000 }, (_none, i) => map(i, 200));
  const draft = await load([page(maps, texts)], heads);
  const before = heap();
  const pages = 40;
  for (let i = 1; i <= pages; i += 1) {
    const moved = page(maps, texts).map((kv, at) => ({
      ...kv,
      key: keys.object(maps, `namespace-7/object-${String(i * 1_000 + at).padStart(7, '0')}`),
    }));
    await draft.addAll(moved, new Slice());
  }
  const taken = heap() - before;
  expect(draft.size.objects).toBe((pages + 1) * 1_000);
  expect(taken / (pages * 1_000)).toBeLessThan(270);
});

/** Loads a page, and replaces its objects in an order; gives what they were before. */
async function replaced(draft: ViewDraft, from: number, to: number): Promise<StoredEntry[]> {
  const collection = draft.collection(maps);
  const slice = new Slice();
  const before: StoredEntry[] = [];
  for (let i = from; i < to; i += 1) {
    const [kv] = page(maps, [map(i, 1_000)]);
    if (kv === undefined) continue;
    const key = `ns/${String(i).padStart(5, '0')}`;
    const entry = entries.read(maps, key, { ...kv, mod_revision: 20_000 + i });
    if (!(entry instanceof StoredEntry)) continue;
    const previous = collection.change(key, entry, 20_000 + i, 0);
    if (previous instanceof StoredEntry) before.push(previous);
    await slice.breathe();
  }
  return before;
}

test('objects that are replaced get no memory of their own, nor do those that stay', async () => {
  const buffers = (): number => Number(queryObjects(Buffer));
  const texts = Array.from({ length: 1_000 }, (_none, i) => map(i, 1_000));
  const draft = await load([page(maps, texts)], heads);
  const count = buffers();
  const before = await replaced(draft, 0, 900);
  // Those that took their place have one each.
  expect(buffers() - count - 900).toBeLessThan(100);
  expect(before.map(({ bytes }) => bytes.toString())).toEqual(texts.slice(0, 900));
  expect(loaded(draft).map(({ bytes }) => bytes.toString())).toEqual(texts);
});

test('what stays of packs that many changes of one moment hit moves in later turns, that of one pack in each', async () => {
  const [packs, each] = [10, 100];
  const texts = Array.from({ length: packs * each }, (_none, i) => map(i, 1_000));
  const all = page(maps, texts);
  const pages = Array.from({ length: packs }, (_none, i) => all.slice(i * each, (i + 1) * each));
  const view = new View({ keys, entries, limits, clock: systemClock, itemHead: heads });
  view.replaceBy(await load(pages, heads), { epoch: 0, name: undefined });
  const staying = loadedOf(view).filter((_none, i) => i % 4 === 3);
  const changed = all.filter((_none, i) => i % 4 !== 3).map((kv) => ({ ...kv, mod_revision: 20_000 }));
  const before = new Map(staying.map((entry) => [entry, memoryOf(entry)]));
  await packsMoved();
  const moved = (): number => staying.filter((entry) => memoryOf(entry) !== before.get(entry)).length;
  view.apply(changed.map((kv) => ({ type: 0 as const, kv, prev_kv: undefined })));
  expect(moved()).toBe(0);
  const counts: number[] = [];
  for (let turn = 0; turn < 2 * packs; turn += 1) {
    await laterTurn();
    counts.push(moved());
  }
  expect(counts.at(-1)).toBe(staying.length);
  expect(Math.max(...counts.map((count, i) => count - (counts[i - 1] ?? 0)))).toBeLessThanOrEqual(each / 4);
  expect(staying.map(({ bytes }) => bytes.toString())).toEqual(texts.filter((_none, i) => i % 4 === 3));
});

test('what was replaced, and nobody has any more, leaves no memory behind', async () => {
  const texts = Array.from({ length: 1_000 }, (_none, i) => map(i, 1_000));
  const draft = await load([page(maps, texts)], heads);
  const whole = memoryOf(loaded(draft)[0] as StoredEntry).byteLength;
  const [kept] = (await replaced(draft, 0, 300)).slice(-1);
  // What was looked at lives until the turn ends.
  await laterTurn();
  queryObjects(ViewDraft);
  await replaced(draft, 300, 600);
  await packsMoved();
  const left = loaded(draft).filter(({ pack }) => pack !== undefined);
  expect(left).toHaveLength(400);
  const memory = new Set(left.map(memoryOf));
  expect([...memory].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(whole / 2);
  expect(kept?.bytes.toString()).toBe(texts[299]);
  expect(memoryOf(kept as StoredEntry).byteLength).toBeLessThan(whole / 2);
});

test('thousands of changes, and what they replace, lie in a few pieces of memory', () => {
  const view = new View({ keys, entries, limits, clock: systemClock, itemHead: heads });
  const memories = (): number => Number(queryObjects(ArrayBuffer));
  const before = memories();
  const changes = [1, 2, 3].map((round) => {
    const texts = Array.from({ length: 2_000 }, (_none, i) => map(i, 900 + round));
    const events = page(maps, texts).map((kv, i) => {
      const mod_revision = round * 10_000 + i;
      return { type: 0 as const, kv: { ...kv, mod_revision }, prev_kv: undefined };
    });
    return view.apply(events);
  });
  expect(memories() - before).toBeLessThan(100);
  for (const [i, made] of changes.entries())
    for (const [at, change] of made.entries()) {
      expect(change.entry.bytes.toString()).toBe(map(at, 901 + i));
      if (i > 0 && change.type === 'put') expect(change.previous?.bytes.toString()).toBe(map(at, 900 + i));
    }
  expect(view.collection(maps).size).toBe(2_000);
});

test('of an object that changes several times in one message each state is what it was', () => {
  const view = new View({ keys, entries, limits, clock: systemClock, itemHead: heads });
  const kvs = page(
    maps,
    Array.from({ length: 300 }, (_none, i) => map(i, 1_000)),
  );
  const [first] = kvs;
  const events = kvs.map((kv, i) => ({
    ...{ type: 0 as const, prev_kv: undefined },
    // Every third one is the first object again.
    kv: { ...kv, ...(i % 3 === 0 && first && { key: first.key }), mod_revision: 100 + i },
  }));
  const changes = view.apply(events);
  expect(changes.map(({ entry }) => entry.bytes.toString())).toEqual(kvs.map((_kv, i) => map(i, 1_000)));
  const message = kvs[1]?.value.buffer;
  expect(changes.some(({ entry }) => (entry.pack?.memory ?? entry.bytes).buffer === message)).toBe(false);
});
