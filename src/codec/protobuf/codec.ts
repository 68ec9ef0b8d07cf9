/** The Protobuf representation: objects, lists and watch frames. Everything else of this folder serves this file. */
import type { JsonObject } from '../../base/json.ts';
import { textOf } from '../../base/json.ts';
import type { StructSchema } from '../../schema/types.ts';
import type { TypeMeta } from './envelope.ts';
export type { TypeMeta } from './envelope.ts';
import { readEnvelope, writeEnvelope } from './envelope.ts';
import type { ReadContext } from './reader.ts';
import { writeMessage } from './special-codecs.ts';
import { decodeEnvelope, structCodec } from './struct-codec.ts';
import { ReverseWriter } from './reverse-writer.ts';

/**
 * Levels of messages that are read. Reading takes several calls per level, so this is stricter than for JSON;
 * no type but a JSON schema can be nested like that at all.
 */
const maxMessageDepth = 256;

const bytes1 = 10;
const bytes2 = 18;

/**
 * Encodes an object with its envelope, which takes `apiVersion` and `kind` from it. Fields that the schema does
 * not know are left out.
 * @throws Error when the type has no Protobuf form; TypeError when a value is not of its field's type
 */
export function encodeProtobuf(schema: StructSchema, object: JsonObject): Buffer {
  return writeEnvelope(typeMetaOf(object), encodeMessage(schema, object));
}

/**
 * The same for an object that may be large, in steps.
 * @throws what `encodeProtobuf` throws
 */
export function* protobufInSteps(schema: StructSchema, object: JsonObject): Generator<void, Buffer, void> {
  if (schema.jsonOnly === true) throw new Error(`${schema.name} has no Protobuf form`);
  const writer = new ReverseWriter(spareBytes);
  yield* structCodec(schema).fieldsInSteps(writer, object);
  return writeEnvelope(typeMetaOf(object), writer.finish());
}

/** Puts a message made by `encodeMessage` into an envelope. */
export function envelop(typeMeta: TypeMeta, message: Buffer): Buffer {
  return writeEnvelope(typeMeta, message);
}

/** Encodes an object's message alone, without the envelope: an item of a list. */
export function encodeMessage(schema: StructSchema, object: JsonObject): Buffer {
  if (schema.jsonOnly === true) throw new Error(`${schema.name} has no Protobuf form`);
  const writer = spare ?? new ReverseWriter(spareBytes);
  spare = undefined;
  structCodec(schema).writeFields(writer, object);
  const message = writer.finish();
  writer.clear();
  // One that an object of megabytes has grown is not held for the sake of small ones; one that failed is lost.
  if (writer.capacity <= spareBytes) spare = writer;
  return message;
}

/** A writer for the next message: a fresh buffer for each is a quarter of the work. */
let spare: ReverseWriter | undefined = undefined;
const spareBytes = 64 * 1024;

function typeMetaOf({ apiVersion, kind }: JsonObject): TypeMeta {
  return { apiVersion: textOf(apiVersion), kind: textOf(kind) };
}

/**
 * A watch frame: four bytes of length (big endian), then type=1 and object=2, whose raw=1 is the object with its
 * envelope. There are no magic bytes around the frame itself.
 */
export function encodeProtobufFrame(type: string, enveloped: Buffer): Buffer {
  const writer = new ReverseWriter(enveloped.length + 40);
  writeMessage(writer, () => {
    writer.bytes(enveloped);
    writer.varint(bytes1);
  });
  writer.varint(bytes2);
  writer.string(type);
  writer.varint(bytes1);
  const event = writer.finish();
  const frame = Buffer.allocUnsafe(4 + event.length);
  frame.writeUInt32BE(event.length);
  event.copy(frame, 4);
  return frame;
}

/** What an enveloped object says that it is, without reading it. @throws DecodeError when there is no envelope */
export function protobufTypeMeta(bytes: Buffer): TypeMeta {
  const { apiVersion, kind } = readEnvelope(bytes);
  return { apiVersion, kind };
}

/**
 * Decodes an enveloped object into its JSON form, `kind` and `apiVersion` first.
 * @param schemaOf finds the schema of the object, and of objects in envelopes inside it
 * @param expected what an envelope holds that does not say so
 * @throws DecodeError for a broken envelope or message, an unknown kind, and nesting beyond the limit
 */
export function decodeProtobuf(
  bytes: Buffer,
  schemaOf: ReadContext['schemaOf'],
  expected?: TypeMeta,
): JsonObject {
  const envelope = readEnvelope(bytes);
  const typed = {
    ...envelope,
    apiVersion: envelope.apiVersion || (expected?.apiVersion ?? ''),
    kind: envelope.kind || (expected?.kind ?? ''),
  };
  return decodeEnvelope(typed, { schemaOf, maxDepth: maxMessageDepth });
}
