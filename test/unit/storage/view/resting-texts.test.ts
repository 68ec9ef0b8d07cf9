/** Large texts that nobody reads lie compressed; what is made of them is as before. */
import { randomBytes } from 'node:crypto';
import { itemHeadOf, listLength, listSlices } from '../../../../src/codec/list-page.ts';
import { encodeStored, splicedLength, withResourceVersion } from '../../../../src/codec/stored.ts';
import { latelyRead, RestingTexts } from '../../../../src/storage/view/resting-texts.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';
import { memoryOf, receivedEntry, sentEntry } from '../../../../src/write-threads/transfer.ts';
import { HandClock } from '../../../support/hand-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';

const words = 'the name of a resource that its controller uses to find pods ';
const rested = 5_000;

function textOf(name: string, bytes: number, filling = words): Buffer {
  const [kind, apiVersion] = ['Definition', 'example.com/v1'];
  const spec = { text: filling.repeat(Math.ceil(bytes / filling.length)).slice(0, bytes) };
  return encodeStored({ kind, apiVersion, metadata: { name, uid: 'u', labels: { a: 'ä' } }, spec });
}

function entryOf(bytes: Buffer, key = 'a'): StoredEntry {
  return new StoredEntry({ collection: 'x/definitions', key, modRevision: 1_234, bytes, mark: 7 });
}

/** All of these, some time after they came. */
async function afterRest(...entries: readonly StoredEntry[]): Promise<void> {
  const clock = new HandClock();
  const resting = new RestingTexts(clock, new AbortController().signal);
  for (const entry of entries) resting.add(entry);
  const isDone = (): boolean => {
    clock.advance(rested);
    return resting.waiting === 0 && clock.timers === 0;
  };
  clock.advance(rested);
  // One behind them: when that lies compressed, the others were looked at.
  const last = entryOf(textOf('last', 20_000));
  resting.add(last);
  await waitFor('all to be looked at', () => isDone() && last.opening !== undefined);
}

function listed(entries: readonly StoredEntry[]): string {
  const head = {
    ...{ kind: 'DefinitionList', apiVersion: 'example.com/v1', resourceVersion: '9' },
    itemHead: itemHeadOf({ kind: 'Definition', apiVersion: 'example.com/v1' }),
  };
  const length = listLength(head, entries);
  const allocate = (size: number): Buffer => Buffer.alloc(size);
  const text = Array.from(listSlices(head, entries, { bytes: 65_536, length, allocate }), String).join('');
  expect(Buffer.byteLength(text)).toBe(length);
  return text;
}

test('a large text that is not read is compressed, and is read as it was', async () => {
  const text = textOf('a', 45_000);
  const [entry, plain] = [entryOf(text), entryOf(Buffer.from(text))];
  await afterRest(entry);
  expect(entry.atRest()?.packed.length).toBeLessThan(text.length / 4);
  expect(entry.size).toBe(text.length);
  expect(splicedLength(entry)).toBe(splicedLength(plain));
  expect(withResourceVersion(entry).equals(withResourceVersion(plain))).toBe(true);
  expect(entry.bytes.equals(text)).toBe(true);
  // It rests nevertheless.
  expect(entry.atRest()?.size).toBe(text.length);
});

test('short texts, those beyond what is inflated in a moment, random ones and what is no object stay', async () => {
  const random = randomBytes(30_000).toString('base64');
  const entries = [
    ...[entryOf(textOf('a', 1_000)), entryOf(textOf('a', 300_000)), entryOf(textOf('a', 40_000, random))],
    entryOf(Buffer.alloc(50_000, '"')),
  ];
  await afterRest(...entries);
  expect(entries.map((entry) => entry.atRest())).toEqual(entries.map(() => undefined));
});

test('what was read waits once more; what left the state does not, for events keep it', async () => {
  const [clock, read, gone] = [new HandClock(), entryOf(textOf('a', 45_000)), entryOf(textOf('b', 45_000))];
  const stopping = new AbortController();
  const resting = new RestingTexts(clock, stopping.signal);
  for (const entry of [read, gone]) resting.add(entry);
  expect(read.bytes.length).toBe(read.size);
  gone.pass();
  clock.advance(rested);
  await waitFor('the second to rest', () => gone.opening !== undefined);
  expect([read.opening, resting.waiting]).toEqual([undefined, 1]);
  await waitFor('the first to rest', () => {
    clock.advance(rested);
    return read.opening !== undefined;
  });
  resting.add(entryOf(textOf('c', 45_000)));
  expect(clock.timers).toBe(1);
  stopping.abort();
  expect([resting.waiting, clock.timers]).toEqual([0, 0]);
});

test('a list is the same, and its length is found without the texts', async () => {
  const texts = Array.from({ length: 30 }, (_unused, i) => textOf(`n${String(i)}`, 20_000 + i));
  const entries = texts.map((text, i) => entryOf(text, String(i)));
  const before = listed(entries.map((entry, i) => entryOf(Buffer.from(texts[i] ?? ''), entry.key)));
  await afterRest(...entries);
  let inflated = 0;
  const counting = { get: () => undefined, set: () => (inflated += 1) };
  const laid = entries.map((entry) => {
    const atRest = entry.atRest();
    if (atRest) entry.lay(atRest, counting);
    return atRest;
  });
  expect(laid).not.toContain(undefined);
  expect(splicedLength(entries[0] ?? entryOf(Buffer.alloc(0)))).toBeGreaterThan(20_000);
  expect(inflated).toBe(0);
  expect(listed(entries)).toBe(before);
  // Each once, for the slice that it is written into.
  expect(inflated).toBe(entries.length);
});

test('other threads get the compressed text, which is in memory once', async () => {
  const text = textOf('a', 45_000);
  const entry = entryOf(text);
  await afterRest(entry);
  const received = (): ReturnType<typeof receivedEntry> => {
    const sent = sentEntry(entry);
    expect(sent.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
    return receivedEntry(structuredClone(sent, { transfer: memoryOf(sent) as ArrayBuffer[] }));
  };
  const [one, two] = [received(), received()];
  expect(one).toMatchObject({ key: 'a', modRevision: 1_234, mark: 7, size: text.length });
  expect(one.bytes.equals(text)).toBe(true);
  expect(two.atRest?.()?.packed.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(withResourceVersion(one).equals(withResourceVersion(entry))).toBe(true);
});

test('a text that other threads follow with is whole', async () => {
  const text = textOf('a', 45_000);
  const entry = entryOf(text);
  await afterRest(entry);
  expect(entry.share().equals(text)).toBe(true);
  expect(entry.atRest()).toBeUndefined();
  expect(entry.textToRest()).toBeUndefined();
});

test('of texts that were read lately a bounded number of bytes is at hand', () => {
  const lately = latelyRead();
  const keys = Array.from({ length: 100 }, () => ({}));
  for (const key of keys) lately.set(key, Buffer.alloc(200_000));
  expect(keys.filter((key) => lately.get(key) !== undefined).length).toBe(41);
  expect(lately.get(keys.at(-1) ?? {})).toBeDefined();
});
