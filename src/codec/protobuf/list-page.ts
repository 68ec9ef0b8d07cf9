/** Protobuf lists of encoded messages, in slices: an envelope around `metadata` and `items`. */
import type { ListHead } from '../list-page.ts';
import { envelopeParts } from './envelope.ts';
import { writeMessage } from './special-codecs.ts';
import { ReverseWriter } from './writer.ts';

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

/**
 * A list of messages made by `encodeMessage`, in slices of about `sliceBytes`. An envelope says its length first, so
 * all messages must be there when it begins.
 */
export function* protobufListSlices(
  head: ListHead,
  items: readonly Buffer[],
  sliceBytes: number,
  numbers: ListNumbers = usualNumbers,
): Generator<Buffer, void, undefined> {
  const metadata = metadataField(head, numbers.metadata);
  const tag = numbers.items * 8 + 2;
  const size = items.reduce((sum, { length }) => sum + 1 + varintSize(length) + length, metadata.length);
  const { before, after } = envelopeParts(head, size);
  let batch: Buffer[] = [before, metadata];
  let waiting = before.length + metadata.length;
  for (const item of items) {
    batch.push(itemHead(tag, item.length), item);
    waiting += item.length;
    if (waiting < sliceBytes) continue;
    yield Buffer.concat(batch);
    batch = [];
    waiting = 0;
  }
  batch.push(after);
  yield Buffer.concat(batch);
}

function itemHead(tag: number, length: number): Buffer {
  const writer = new ReverseWriter(6);
  writer.varint(length);
  writer.varint(tag);
  return writer.finish();
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

/** selfLink=1 (empty), resourceVersion=2, continue=3, remainingItemCount=4. */
function writeListMeta(writer: ReverseWriter, head: ListHead): void {
  if (head.remainingItemCount !== undefined) {
    writer.varint(head.remainingItemCount);
    writer.varint(varint4);
  }
  writer.string(head.continue ?? '');
  writer.varint(bytes3);
  writer.string(head.resourceVersion);
  writer.varint(bytes2);
  writer.string('');
  writer.varint(bytes1);
}
