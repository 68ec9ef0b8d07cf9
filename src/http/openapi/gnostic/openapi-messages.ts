/**
 * OpenAPI documents in the Protobuf form that some clients read faster than JSON: the messages of a `.proto` file,
 * compiled to writers. Its options say how a value of JSON becomes a message (options.proto).
 */
import type { JsonValue } from '../../../base/json.ts';
import { isObject } from '../../../base/json.ts';
import { atOnce, type Steps } from '../../../base/sliced-work.ts';
import { ReverseWriter } from '../../../codec/protobuf/reverse-writer.ts';
import {
  isScalarType,
  readProtoFile,
  type FieldDeclaration,
  type MessageDeclaration,
} from '../../../schema/proto-file.ts';
import {
  membersFromEnd,
  nested,
  repeated,
  scalarWriters,
  writeHead,
  writeNamed,
  type BodyWriter,
  type FieldWriter,
} from './field-writers.ts';

/** Bytes, or what stands for them. */
export interface Sized {
  readonly length: number;
}

const done: Steps = [];

export class OpenApiMessages {
  readonly #package: string;
  readonly #declarations: ReadonlyMap<string, MessageDeclaration>;
  readonly #bodies = new Map<string, BodyWriter>();

  /**
   * @param path of the `.proto` file
   * @param packageName as in `openapi/v2`
   * @throws Error that names the file when it cannot be read
   */
  constructor(path: string, packageName: string) {
    this.#package = packageName;
    this.#declarations = new Map(readProtoFile(path).map((message) => [message.name, message]));
  }

  /** The fields of a message. @throws Error for a member that has no place in it */
  encode(message: string, value: JsonValue): Buffer {
    return atOnce(this.encodeInSteps(message, value));
  }

  /** The same in steps: a schema may have thousands of fields. */
  *encodeInSteps(message: string, value: JsonValue): Generator<void, Buffer, void> {
    const writer = new ReverseWriter();
    yield* this.#bodyOf(`${this.#package}.${message}`)(writer, value);
    return writer.finish();
  }

  /** A field of a message around content that is encoded elsewhere. */
  around<T extends Sized>(message: string, field: string, content: readonly T[]): (T | Buffer)[] {
    const declaration = this.#message(`${this.#package}.${message}`).fields.find(
      ({ name }) => name === field,
    );
    if (!declaration) throw new Error(`${message} has no field ${field}`);
    const writer = new ReverseWriter(16);
    writeHead(
      writer,
      declaration.number,
      content.reduce((sum, part) => sum + part.length, 0),
    );
    return [writer.finish(), ...content];
  }

  #message(name: string): MessageDeclaration {
    const message = this.#declarations.get(name);
    if (!message) throw new Error(`no message ${name}`);
    return message;
  }

  /** Messages refer to each other: each is compiled when it is first written. */
  #bodyOf(name: string): BodyWriter {
    let body = this.#bodies.get(name);
    if (!body) this.#bodies.set(name, (body = this.#compile(this.#message(name))));
    return body;
  }

  #compile(message: MessageDeclaration): BodyWriter {
    switch (message.options['form']) {
      case 'choice':
        return this.#choice(message);
      case 'list':
        return this.#only(message, (value) => value);
      case 'any':
        return this.#only(message, (value) => JSON.stringify(value));
      default:
        return this.#struct(message);
    }
  }

  #only({ name, fields }: MessageDeclaration, valueOf: (value: JsonValue) => JsonValue): BodyWriter {
    const [field] = fields;
    if (!field) throw new Error(`${name} has no field`);
    const write = this.#field(field);
    return (writer, value) => write(writer, field.number, valueOf(value)) ?? done;
  }

  #choice({ fields }: MessageDeclaration): BodyWriter {
    const alternatives = fields
      .map((field) => ({ number: field.number, write: this.#field(field), when: conditionOf(field) }))
      .sort((a, b) => Number(a.when === undefined) - Number(b.when === undefined));
    return (writer, value) => {
      const chosen = alternatives.find(({ when }) => when === undefined || when(value));
      return chosen?.write(writer, chosen.number, value) ?? done;
    };
  }

  #struct({ name: message, fields }: MessageDeclaration): BodyWriter {
    const members = fields.map((field) => ({ field, of: field.options['members'] }));
    const declared = new Map(
      members
        .filter(({ of }) => of === undefined)
        .map(({ field }) => [jsonName(field), { number: field.number, write: this.#field(field) }]),
    );
    const extensions = this.#namedField(members.find(({ of }) => of === 'extensions')?.field);
    const rest = this.#namedField(members.find(({ of }) => of === 'rest')?.field);
    const hasExtensions = (name: string): boolean => name.startsWith('x-') && rest === undefined;
    return function* writeMembers(writer, object) {
      for (const [name, member] of membersFromEnd(object)) {
        const field = declared.get(name);
        const entry = hasExtensions(name) ? extensions : rest;
        const steps = field?.write(writer, field.number, member);
        if (steps) yield* steps;
        if (field) continue;
        if (entry) yield* writeNamed(writer, entry.number, { name, member, value: entry.value });
        else if (!hasExtensions(name)) throw new Error(`${name} has no place in ${message}`);
      }
    };
  }

  /** How members are written whose names are no fields: messages of name=1 and value=2. */
  #namedField(
    field: FieldDeclaration | undefined,
  ): { readonly number: number; readonly value: FieldWriter } | undefined {
    if (!field) return undefined;
    const value = this.#message(field.type).fields.find(({ number }) => number === 2);
    if (!value) throw new Error(`${field.type} has no value`);
    return { number: field.number, value: this.#field(value) };
  }

  #field({ type, shape }: FieldDeclaration): FieldWriter {
    const write = isScalarType(type) ? scalarWriters[type] : this.#messageField(type);
    if (!write) throw new Error(`no writer for ${type}`);
    return shape === 'list' ? repeated(write) : write;
  }

  /** A value that no alternative of a choice takes is left out. */
  #messageField(type: string): FieldWriter {
    const { options, fields } = this.#message(type);
    const conditions = options['form'] === 'choice' ? fields.map(conditionOf) : [undefined];
    const write = nested((writer, value) => this.#bodyOf(type)(writer, value));
    if (conditions.includes(undefined)) return write;
    return (writer, number, value) =>
      conditions.some((when) => when?.(value)) ? write(writer, number, value) : undefined;
  }
}

function jsonName({ name, options }: FieldDeclaration): string {
  const { json } = options;
  return typeof json === 'string'
    ? json
    : name.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

/** Undefined for an alternative that takes what no other one does. */
function conditionOf({ options }: FieldDeclaration): ((value: JsonValue) => boolean) | undefined {
  const { when } = options;
  if (typeof when !== 'string') return undefined;
  if (when === 'object') return isObject;
  if (['number', 'boolean', 'string'].includes(when)) return (value) => typeof value === when;
  const [member = '', text] = when.split('=');
  return (value) =>
    isObject(value) && value[member] !== undefined && (text === undefined || value[member] === text);
}
