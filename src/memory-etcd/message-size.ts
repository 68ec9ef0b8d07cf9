/** Lengths of encoded messages (protobuf), which etcd counts for its limits and to cut answers into fragments. */
import type {
  Int64,
  RangeResponse,
  ResponseHeader,
  StoredKeyValue,
  WatchEvent,
  WatchResponse,
} from './messages.ts';

/** Of a revision in etcd's database: its key, and what a page keeps about it. */
const recordOverhead = 17 + 16;

function varint(value: number): number {
  if (value < 0) return 10;
  let bytes = 1;
  for (let rest = value; rest >= 128; rest /= 128) bytes += 1;
  return bytes;
}

function varint64(value: Int64): number {
  if (typeof value === 'number') return varint(value);
  const text = value.toString();
  if (text.startsWith('-')) return 10;
  let bytes = 1;
  for (let rest = BigInt(text); rest >= 128n; rest >>= 7n) bytes += 1;
  return bytes;
}

/** A number field with a tag of one byte; 0 is not sent. */
function number(value: Int64): number {
  return value === 0 ? 0 : 1 + varint64(value);
}

/** A field of bytes, or of a message that is there even if it is empty. */
function delimited(length: number): number {
  return 1 + varint(length) + length;
}

function bytes(length: number): number {
  return length === 0 ? 0 : delimited(length);
}

function keyValueSize(kv: StoredKeyValue): number {
  return (
    bytes(kv.key.length) +
    number(kv.create_revision) +
    number(kv.mod_revision) +
    number(kv.version) +
    bytes(kv.value.length) +
    number(kv.lease)
  );
}

function headerSize(header: Partial<ResponseHeader>): number {
  const { cluster_id = 0, member_id = 0, revision = 0, raft_term = 0 } = header;
  return delimited(number(cluster_id) + number(member_id) + number(revision) + number(raft_term));
}

/** Of an event within an answer of a watch. */
export function eventSize({ type, kv, prev_kv }: WatchEvent): number {
  const previous = prev_kv === null ? 0 : delimited(keyValueSize(prev_kv));
  return delimited(number(type) + delimited(keyValueSize(kv)) + previous);
}

/** Of an answer of a watch without its events. */
export function watchHeadSize(response: WatchResponse): number {
  return (
    headerSize(response.header) +
    number(response.watch_id) +
    (response.created ? 2 : 0) +
    (response.canceled ? 2 : 0) +
    number(response.compact_revision) +
    bytes(Buffer.byteLength(response.cancel_reason)) +
    (response.fragment ? 2 : 0)
  );
}

export function rangeResponseSize({ header, kvs, more, count }: RangeResponse): number {
  const values = kvs.reduce((sum, kv) => sum + delimited(keyValueSize(kv)), 0);
  return headerSize(header) + values + (more ? 2 : 0) + number(count);
}

/** Of a version of a key in the database. */
export function recordBytes(kv: StoredKeyValue): number {
  return recordOverhead + keyValueSize(kv);
}
