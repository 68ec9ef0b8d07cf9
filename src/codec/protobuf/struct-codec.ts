/** Schema → codec: each struct is compiled once, to closures that know their field numbers and types. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject, jsonTypeOf } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import type { Steps } from '../../base/sliced-work.ts';
import type { Field, Schema, StructSchema } from '../../schema/types.ts';
import { DecodeError } from '../decode-error.ts';
import { decodeJson } from '../decode-json.ts';
import type { FieldCodec, MergingCodec } from './field-codec.ts';
import { embeddedField, listField, mapField, singleField } from './field-codec.ts';
import { rawCodec, schemaOrArray, schemaOrBool, schemaOrTexts } from './free-codecs.ts';
import type { Envelope } from './envelope.ts';
import { isEnveloped, readEnvelope } from './envelope.ts';
import type { ReadContext } from './reader.ts';
import { ProtobufReader, wireBytes } from './reader.ts';
import { listFormCodec, specialCodecs, wrongWireType } from './special-codecs.ts';
import type { ValueCodec } from './value-codec.ts';
import { scalarCodecs } from './value-codec.ts';
import type { ReverseWriter } from './reverse-writer.ts';

const compiled = new WeakMap<StructSchema, StructCodec>();

/** The codec of a struct; made at its first use. Schemas may be cyclic: fields are compiled when they are needed. */
export function structCodec(schema: StructSchema): StructCodec {
  let codec = compiled.get(schema);
  if (!codec) {
    codec = new StructCodec(schema);
    compiled.set(schema, codec);
  }
  return codec;
}

export class StructCodec implements MergingCodec {
  readonly wireType = wireBytes;
  readonly alwaysWritten = true;
  readonly zero = undefined;
  private readonly schema: StructSchema;
  /** In order of their numbers. */
  private fields: readonly FieldCodec[] | undefined;
  private byTag: FieldsByTag | undefined;

  constructor(schema: StructSchema) {
    this.schema = schema;
  }

  readonly write = (writer: ReverseWriter, value: JsonValue | undefined): void => {
    const before = writer.length;
    if (value === undefined) this.writeFields(writer, {});
    else if (isObject(value)) this.writeFields(writer, value);
    else throw new TypeError(`${this.schema.name}: an object was expected, not ${jsonTypeOf(value)}`);
    writer.varint(writer.length - before);
  };

  readonly read = (reader: ProtobufReader): JsonObject => {
    const object: JsonObject = {};
    this.readMore(reader, object);
    return object;
  };

  /** Reads a message, with its length, into an object that has members of it. */
  readonly readMore = (reader: ProtobufReader, object: JsonObject): void => {
    reader.message((inner) => {
      this.readInto(inner, object);
    });
  };

  /** Writes the message without its length. */
  writeFields(writer: ReverseWriter, object: JsonObject): void {
    const fields = this.compiledFields();
    for (let i = fields.length - 1; i >= 0; i -= 1) fields[i]?.write(writer, object);
  }

  *writeInSteps(writer: ReverseWriter, value: JsonValue | undefined): Steps {
    if (!isObject(value)) {
      this.write(writer, value);
      return;
    }
    const before = writer.length;
    yield* this.fieldsInSteps(writer, value);
    writer.varint(writer.length - before);
  }

  /** What `writeFields` writes, in steps. */
  *fieldsInSteps(writer: ReverseWriter, object: JsonObject): Steps {
    for (const field of this.compiledFields().toReversed()) {
      if (field.writeInSteps) yield* field.writeInSteps(writer, object);
      else field.write(writer, object);
      yield;
    }
  }

  /**
   * Reads up to the reader's end; fields that are not known are passed over.
   * @throws DecodeError for a known field with another wire type: as a field that is not known its value would be lost
   */
  readonly readInto = (reader: ProtobufReader, object: JsonObject): void => {
    const byTag = (this.byTag ??= indexByTag(this.compiledFields()));
    while (reader.hasMore()) {
      const tag = reader.tag();
      const field = byTag.get(tag);
      if (field) field.read(reader, object, tag & 7);
      else if (field === null) throw wrongWireType(this.schema.name, tag);
      else reader.skip(tag & 7);
    }
  };

  private compiledFields(): readonly FieldCodec[] {
    return (this.fields ??= compileFields(this.schema));
  }
}

/** null: the field of this number has other wire types. */
type FieldsByTag = ReadonlyMap<number, FieldCodec | null>;

const wireTypes = [0, 1, 2, 3, 4, 5, 6, 7];

function indexByTag(fields: readonly FieldCodec[]): FieldsByTag {
  return new Map(
    fields.flatMap((field) =>
      wireTypes.map((type) => [field.number * 8 + type, field.wireTypes.includes(type) ? field : null]),
    ),
  );
}

function compileFields(schema: StructSchema): FieldCodec[] {
  const embedded = schema.embedded ?? [];
  const foreign = new Set(embedded.flatMap((part) => [...part.schema.fields.values()]));
  const own = [...schema.fields.values()].filter((field) => field.protoNumber > 0 && !foreign.has(field));
  return [
    ...own.map((field) => compileField(field, schema)),
    ...embedded.map((part) => embeddedField(part.protoNumber, structCodec(part.schema))),
  ].sort((a, b) => a.number - b.number);
}

function compileField(field: Field, owner: StructSchema): FieldCodec {
  const { schema, protoType } = field;
  if (protoType.startsWith('repeated ') && schema.type === 'list') {
    return listField(field, valueCodec(protoType.slice('repeated '.length), schema.items, owner));
  }
  const valueType = /^map<string,(.*)>$/.exec(protoType)?.[1];
  if (valueType !== undefined && schema.type === 'map') {
    return mapField(field, valueCodec(valueType, schema.values, owner));
  }
  return singleField(field, valueCodec(protoType, schema, owner));
}

function valueCodec(type: string, schema: Schema, owner: StructSchema): ValueCodec {
  const known = scalarCodecs[type] ?? specialCodecs[type];
  if (known) return known;
  if (schema.type === 'struct') return structCodec(schema);
  if (schema.type === 'any') return anyCodec(schema.name, owner);
  if (schema.type === 'list') return listFormCodec(valueCodec('string', schema.items, owner));
  throw new Error(`${owner.name}: there is no Protobuf form of ${type}`);
}

const raw = rawCodec((bytes, reader) => (isEnveloped(bytes) ? readNested(bytes, reader) : undefined));

/** An object in an envelope of its own, inside another object; the envelope is a level, as it may hold the next at once. */
function readNested(bytes: Buffer, outer: ProtobufReader): JsonObject {
  const maxDepth = outer.depthLeft - 1;
  if (maxDepth < 0) throw new DecodeError('envelopes are nested too deeply');
  return decodeEnvelope(readEnvelope(bytes), { ...outer.context, maxDepth });
}

/**
 * The object of an envelope, with its `apiVersion` and `kind`.
 * @throws DecodeError when the kind is not known or the message is broken
 */
export function decodeEnvelope(envelope: Envelope, context: ReadContext): JsonObject {
  const { apiVersion, kind } = envelope;
  const object: JsonObject = { ...(kind !== '' && { kind }), ...(apiVersion !== '' && { apiVersion }) };
  if (envelope.contentType === 'application/json') return decodeJsonObject(envelope.raw, context.maxDepth);
  const schema = context.schemaOf(apiVersion, kind);
  if (!schema || schema.jsonOnly === true) {
    throw new DecodeError(`invalid Protobuf: there is no kind ${quoted(kind)} in ${quoted(apiVersion)}`);
  }
  structCodec(schema).readInto(new ProtobufReader(envelope.raw, context), object);
  return object;
}

function decodeJsonObject(bytes: Buffer, maxDepth: number): JsonObject {
  const { value } = decodeJson(bytes, { maxDepth });
  if (isObject(value)) return value;
  throw new DecodeError('invalid Protobuf: the envelope holds JSON that is no object');
}

/** The either-or types of a JSON schema stand only inside that schema, which is their alternative. */
function anyCodec(name: string, owner: StructSchema): ValueCodec {
  if (name.endsWith('.JSONSchemaPropsOrArray')) return schemaOrArray(structCodec(owner));
  if (name.endsWith('.JSONSchemaPropsOrBool')) return schemaOrBool(structCodec(owner));
  if (name.endsWith('.JSONSchemaPropsOrStringArray')) return schemaOrTexts(structCodec(owner));
  return raw;
}
