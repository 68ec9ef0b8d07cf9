/**
 * The envelope of an object in Protobuf (specification, "Content negotiation"): four magic bytes, then `Unknown`:
 * typeMeta=1 (apiVersion=1, kind=2), raw=2, contentEncoding=3, contentType=4.
 */
import { DecodeError } from '../decode-error.ts';
import { ProtobufReader } from './reader.ts';
import { readFields, writeMessage } from './special-codecs.ts';
import { ReverseWriter } from './reverse-writer.ts';

export const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

const bytes1 = 10;
const bytes2 = 18;
const bytes3 = 26;
const bytes4 = 34;

export interface Envelope {
  /** '' when it is not said. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The object's own message. */
  readonly raw: Buffer;
  /** '' means Protobuf. */
  readonly contentType: string;
}

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** True when the bytes begin as an envelope does. */
export function isEnveloped(bytes: Buffer): boolean {
  return bytes.length >= magic.length && bytes.compare(magic, 0, magic.length, 0, magic.length) === 0;
}

/** Puts an object's message into an envelope. */
export function writeEnvelope(typeMeta: TypeMeta, raw: Buffer): Buffer {
  const { before, after } = envelopeParts(typeMeta, raw.length);
  return Buffer.concat([before, raw, after]);
}

/** What stands before and behind a message of `rawLength` bytes. */
export function envelopeParts(
  { apiVersion, kind }: TypeMeta,
  rawLength: number,
): { readonly before: Buffer; readonly after: Buffer } {
  const writer = new ReverseWriter(apiVersion.length + kind.length + 40);
  writer.varint(rawLength);
  writer.varint(bytes2);
  writeMessage(writer, () => {
    writer.string(kind);
    writer.varint(bytes2);
    writer.string(apiVersion);
    writer.varint(bytes1);
  });
  writer.varint(bytes1);
  return { before: Buffer.concat([magic, writer.finish()]), after: emptyEncodingAndType };
}

const emptyEncodingAndType = Buffer.from([bytes3, 0, bytes4, 0]);

const noContext = { schemaOf: () => undefined, maxDepth: 2 };

/** Reads an envelope; its `raw` shares memory with the input. @throws DecodeError when it is none */
export function readEnvelope(bytes: Buffer): Envelope {
  if (!isEnveloped(bytes)) throw new DecodeError('invalid Protobuf: the magic bytes are missing');
  const envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0) as Buffer, contentType: '' };
  let encoding = '';
  const reader = new ProtobufReader(bytes.subarray(magic.length), noContext);
  readFields(reader, { name: 'Unknown', fields: 4 }, (tag) => {
    if (tag === bytes1) Object.assign(envelope, reader.message(readTypeMeta));
    else if (tag === bytes2) envelope.raw = reader.bytes();
    else if (tag === bytes3) encoding = reader.string();
    else if (tag === bytes4) envelope.contentType = reader.string();
    else return false;
    return true;
  });
  if (encoding !== '')
    throw new DecodeError(`invalid Protobuf: content encoding ${encoding} is not supported`);
  return envelope;
}

function readTypeMeta(reader: ProtobufReader): TypeMeta {
  let apiVersion = '';
  let kind = '';
  readFields(reader, { name: 'TypeMeta', fields: 2 }, (tag) => {
    if (tag === bytes1) apiVersion = reader.string();
    else if (tag === bytes2) kind = reader.string();
    else return false;
    return true;
  });
  return { apiVersion, kind };
}
