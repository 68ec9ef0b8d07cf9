/** Frames and messages come in any pieces; what is refused. */
import fc from 'fast-check';

import { MessageReader } from '../../../../src/storage/etcd/grpc-message.ts';
import { frame, FrameReader } from '../../../../src/storage/etcd/http2/frames.ts';
import { HeaderReader } from '../../../../src/storage/etcd/http2/header-reader.ts';
import { decodeHuffman } from '../../../../src/storage/etcd/http2/huffman.ts';
import { framed } from '../../../../src/storage/etcd/grpc-message.ts';

/** The bytes, cut at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const anyPlaces = fc.array(fc.nat(), { maxLength: 20 });
const anyPayloads = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 8 });

test('frames are the same however they are cut', () => {
  fc.assert(
    fc.property(anyPayloads, anyPlaces, (payloads, places) => {
      const sent = payloads.map((payload, index) => ({
        head: { type: index % 10, flags: index, stream: index * 1_000_003 },
        payload: Buffer.from(payload),
      }));
      const seen: typeof sent = [];
      const reader = new FrameReader((head, payload) => seen.push({ head, payload: Buffer.from(payload) }));
      const all = Buffer.concat(sent.map(({ head, payload }) => frame(head, payload)));
      for (const piece of cut(all, places)) reader.read(piece);
      expect(seen).toEqual(sent);
    }),
  );
});

test('a frame that is larger than agreed is refused as soon as its head is there', () => {
  const reader = new FrameReader(() => undefined);
  expect(() => {
    reader.read(Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1]));
  }).toThrow('16385 bytes');
});

test('messages are the same however they are cut', () => {
  fc.assert(
    fc.property(anyPayloads, anyPlaces, (payloads, places) => {
      const sent = payloads.map((payload) => Buffer.from(payload));
      const reader = new MessageReader();
      const seen: Buffer[] = [];
      for (const piece of cut(Buffer.concat(sent.map(framed)), places)) {
        reader.take(piece);
        for (let next = reader.next(); next !== undefined; next = reader.next()) seen.push(Buffer.from(next));
      }
      expect(seen).toEqual(sent);
    }),
  );
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['half a message', framed(Buffer.from('abc')).subarray(0, 6)],
  [
    'a message and a half',
    Buffer.concat([framed(Buffer.from('abc')), framed(Buffer.from('d')).subarray(0, 5)]),
  ],
  ['a compressed message', Buffer.from([1, 0, 0, 0, 0])],
])('%s is not the one message of an answer', (_name, bytes) => {
  const reader = new MessageReader();
  reader.take(bytes);
  expect(reader.only()).toBeUndefined();
});

test('what is behind a message that cannot be read is not read', () => {
  const reader = new MessageReader();
  reader.take(Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), framed(Buffer.from('abc'))]));
  expect([reader.next(), reader.next(), reader.isBroken]).toEqual([undefined, undefined, true]);
});

test.each([
  ['an index of a table that is not kept', [0xbe]],
  ['index 0', [0x80]],
  ['a name of a table that is not kept', [0x7e, 0]],
  ['a text that is cut off', [0x00, 5, 97]],
  ['a number without end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
  ['a coded text that ends in zeros', [0x00, 0x81, 0x00, 0x00]],
  ['a coded text with its end within', [0x00, 0x84, 0xff, 0xff, 0xff, 0xff, 0]],
])('a header block with %s is refused', (_name, bytes) => {
  expect(() => new HeaderReader().read(Buffer.from(bytes))).toThrow('http2');
});

test('a status comes by its place, or as a text under that name', () => {
  const reader = new HeaderReader();
  expect(reader.read(Buffer.from([0x88])).get(':status')).toBe('200');
  expect(reader.read(Buffer.from([0x20, 0x48, 3, 53, 48, 51])).get(':status')).toBe('503');
});

test('the examples of RFC 7541 are read (appendix C.4 and C.6)', () => {
  const examples: [string, string][] = [
    ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
    ['a8eb10649cbf', 'no-cache'],
    ['25a849e95bb8e8b4bf', 'custom-value'],
    ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
  ];
  for (const [hex, text] of examples) expect(decodeHuffman(Buffer.from(hex, 'hex'))).toBe(text);
});

test('a message in pieces of a byte is given up; one in short pieces is not', () => {
  const [hostile, honest] = [new MessageReader(), new MessageReader()];
  const message = framed(Buffer.alloc(10_000_000));
  for (let at = 0; at < 20_000; at += 1) hostile.take(message.subarray(at, at + 1));
  for (let at = 0; at < message.length; at += 300) honest.take(message.subarray(at, at + 300));
  expect([hostile.isBroken, honest.next()?.length]).toEqual([true, 10_000_000]);
});

test('a message of a megabyte that comes in many pieces takes that much memory, and no more', () => {
  const message = framed(Buffer.alloc(1_000_000, 'x'));
  const reader = new MessageReader();
  const pieces = Array.from({ length: 64 }, (_none, i) => message.subarray(i * 16_000, (i + 1) * 16_000));
  const before = process.memoryUsage().arrayBuffers;
  for (const piece of pieces) reader.take(piece);
  const taken = process.memoryUsage().arrayBuffers - before;
  expect([reader.next()?.equals(message.subarray(5)), taken < 1_300_000]).toEqual([true, true]);
});

test('messages behind each other are the same in many pieces', () => {
  const sent = [40_000, 0, 9_000_000, 3, 70_000].map((length, i) => Buffer.alloc(length, String(i)));
  const all = Buffer.concat(sent.map(framed));
  const reader = new MessageReader();
  const seen: number[] = [];
  for (let at = 0; at < all.length; at += 1_000) {
    reader.take(all.subarray(at, at + 1_000));
    for (let next = reader.next(); next !== undefined; next = reader.next())
      seen.push(next.equals(sent[seen.length] ?? Buffer.alloc(1)) ? next.length : -1);
  }
  expect(seen).toEqual(sent.map(({ length }) => length));
});

test('the table of headers stays empty', () => {
  expect(new HeaderReader().read(Buffer.from([0x20, 0x88])).get(':status')).toBe('200');
  expect(() => new HeaderReader().read(Buffer.from([0x21, 0x88]))).toThrow('beyond its size');
});
