/** Protobuf lists of encoded messages: an envelope around `metadata` and `items`. */
import type { ListHead } from '../list-page.ts';
import { envelopeParts } from './envelope.ts';
import { writeMessage } from './special-codecs.ts';
import { ReverseWriter } from './reverse-writer.ts';

/** Field numbers of a list's parts. All lists have 1 and 2, but for one old type that has them the other way round. */
export interface ListNumbers {
  readonly metadata: number;
  readonly items: number;
}

const usualNumbers: ListNumbers = { metadata: 1, items: 2 };

const bytes1 = 10;
const bytes2 = 18;
const bytes3 = 26;
const varint4 = 32;

/** What stands around the messages of a list. */
export interface ListFrame {
  /** Bytes of the whole list, messages included. */
  readonly length: number;
  /** Envelope and metadata. */
  readonly before: Buffer;
  readonly after: Buffer;
  /** Tag and length of an item whose message follows. */
  readonly writeItemHead: (target: ByteSink, messageLength: number) => void;
}

export interface ByteSink {
  bytes(source: Buffer, start?: number, end?: number): void;
}

/**
 * The frame of a list of messages made by `encodeMessage`. An envelope says its length first, so that the lengths of all
 * messages must be known when it begins.
 */
export function listFrame(head: ListHead, lengths: Iterable<number>, numbers = usualNumbers): ListFrame {
  const metadata = metadataField(head, numbers.metadata);
  const tag = numbers.items * 8 + 2;
  let size = metadata.length;
  for (const length of lengths) size += 1 + varintSize(length) + length;
  const { before, after } = envelopeParts(head, size);
  const room = Buffer.alloc(6);
  room[0] = tag;
  return {
    length: before.length + size + after.length,
    before: Buffer.concat([before, metadata]),
    after,
    writeItemHead(target, messageLength) {
      target.bytes(room, 0, writeVarint(room, 1, messageLength));
    },
  };
}

/** Gives the offset behind it. */
function writeVarint(target: Buffer, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[at++] = (rest % 0x80) | 0x80;
  target[at++] = rest;
  return at;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}

function metadataField(head: ListHead, number: number): Buffer {
  const writer = new ReverseWriter(100);
  writeMessage(writer, () => {
    writeListMeta(writer, head);
  });
  writer.varint(number * 8 + 2);
  return writer.finish();
}

/** selfLink=1 (empty where there is none), resourceVersion=2, continue=3, remainingItemCount=4. */
function writeListMeta(writer: ReverseWriter, head: ListHead): void {
  if (head.remainingItemCount !== undefined) {
    writer.varint(head.remainingItemCount);
    writer.varint(varint4);
  }
  writer.string(head.continue ?? '');
  writer.varint(bytes3);
  writer.string(head.resourceVersion);
  writer.varint(bytes2);
  writer.string(head.selfLink ?? '');
  writer.varint(bytes1);
}
