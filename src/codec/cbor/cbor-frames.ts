/** What stands around encoded objects: their type, lists, watch events. All begin with the tag that says what they are. */
import type { JsonObject } from '../../base/json.ts';
import type { TypeMeta } from '../protobuf/envelope.ts';
import type { WatchEventType } from '../watch-frame.ts';
import { CborWriter } from './cbor-writer.ts';
import { writeMembers } from './encode-cbor.ts';
import { major, selfDescribed } from './heads.ts';

/** A whole answer. */
export function cborObject(object: Buffer): Buffer {
  return Buffer.concat([selfDescribed, object]);
}

/** An encoded object with its type before all other members, which it lacks. */
export function withType(untyped: Buffer, { kind, apiVersion }: TypeMeta): Buffer {
  const { count, end } = mapHead(untyped);
  const writer = new CborWriter(untyped.length + 128);
  writer.head(major.map, count + 2);
  writeMembers(writer, { kind, apiVersion });
  writer.raw(untyped.subarray(end));
  return writer.finish();
}

/** Members of an encoded object, and where they begin. */
function mapHead(object: Buffer): { readonly count: number; readonly end: number } {
  const info = (object[0] ?? 0) & 31;
  if (info < 24) return { count: info, end: 1 };
  const size = 2 ** (info - 24);
  return { count: object.readUIntBE(1, size), end: 1 + size };
}

/** A list up to its items, of which so many follow. */
export function cborListOpening(head: JsonObject, itemsField: string, items: number): Buffer {
  const writer = new CborWriter();
  writer.raw(selfDescribed);
  writer.head(major.map, Object.keys(head).length + 1);
  writeMembers(writer, head);
  writer.string(itemsField);
  writer.head(major.list, items);
  return writer.finish();
}

/** The data item of one event in a stream (RFC 8742). */
export function cborFrame(type: WatchEventType | 'BOOKMARK' | 'ERROR', object: Buffer): Buffer {
  const writer = new CborWriter(object.length + 64);
  writer.raw(selfDescribed);
  writer.head(major.map, 2);
  writeMembers(writer, { type });
  writer.string('object');
  writer.raw(selfDescribed);
  writer.raw(object);
  return writer.finish();
}
