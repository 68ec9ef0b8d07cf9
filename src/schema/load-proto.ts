/**
 * The catalogue's `.proto` files as `Schema` nodes. Each message becomes one node; messages with a JSON form of
 * their own (`(form)`, see src/api/README.md) become scalars, free values or lists where they are used.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { NamingProfile } from '../meta/naming.ts';
import { expandNames } from '../meta/naming.ts';
import { createField, parseList } from './proto-field.ts';
import type { FieldDeclaration, MessageDeclaration } from './proto-file.ts';
import { isScalarType, readProtoFile } from './proto-file.ts';
import type {
  EmbeddedStruct,
  Field,
  ListSchema,
  MapSchema,
  ScalarSchema,
  Schema,
  StructSchema,
} from './types.ts';

/** All types of the catalogue by name: `core/v1.Pod`, `meta/v1.ObjectMeta`. */
export interface SchemaSet {
  /** The struct of that name. @throws Error when there is none */
  get(name: string): StructSchema;
  /** Any named type, also those with a JSON form of their own (`resource.Quantity`). */
  find(name: string): Schema | undefined;
  names(): readonly string[];
}

/**
 * Loads every `<folder>/<version>.proto` below a folder, or the files given.
 * Placeholders in names, defaults and docs are expanded for the profile.
 * @throws Error that names the file, message and field of a defect
 */
export function loadSchemas(source: string | readonly string[], naming: NamingProfile): SchemaSet {
  const files = typeof source === 'string' ? protoFiles(source) : source;
  const loader = new SchemaLoader(files.flatMap(readProtoFile), naming);
  return loader.load();
}

/** The `.proto` files of a catalogue folder's groups, sorted. */
export function protoFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((group) => readdirSync(join(folder, group.name)).map((file) => join(folder, group.name, file)))
    .filter((path) => path.endsWith('.proto'))
    .sort();
}

/** A struct under construction; others refer to it before its fields are known. */
interface StructDraft extends StructSchema {
  readonly fields: Map<string, Field>;
  readonly embedded: EmbeddedStruct[];
}

const scalarForms: Readonly<Record<string, ScalarSchema>> = {
  time: { type: 'string', format: 'date-time', doc: '' },
  'micro-time': { type: 'string', format: 'micro-time', doc: '' },
  duration: { type: 'string', format: '', doc: '' },
  quantity: { type: 'string', format: 'quantity', doc: '' },
  'int-or-string': { type: 'string', format: 'int-or-string', doc: '' },
};

const scalars: Readonly<Record<string, ScalarSchema>> = {
  string: { type: 'string', format: '', doc: '' },
  bytes: { type: 'string', format: 'byte', doc: '' },
  bool: { type: 'boolean', format: '', doc: '' },
  int32: { type: 'integer', format: 'int32', doc: '' },
  int64: { type: 'integer', format: 'int64', doc: '' },
  uint32: { type: 'integer', format: 'uint32', doc: '' },
  uint64: { type: 'integer', format: 'uint64', doc: '' },
  float: { type: 'number', format: 'float', doc: '' },
  double: { type: 'number', format: 'double', doc: '' },
};

class SchemaLoader {
  private readonly declarations: ReadonlyMap<string, MessageDeclaration>;
  private readonly naming: NamingProfile;
  private readonly schemas = new Map<string, Schema>();
  private readonly atomicCopies = new Map<StructSchema, StructSchema>();
  private readonly filled = new Set<string>();

  constructor(messages: readonly MessageDeclaration[], naming: NamingProfile) {
    this.declarations = new Map(messages.map((message) => [message.name, message]));
    this.naming = naming;
  }

  load(): SchemaSet {
    for (const message of this.declarations.values()) this.schemas.set(message.name, this.draft(message));
    for (const message of this.declarations.values()) this.fill(message);
    const { schemas } = this;
    return {
      get(name) {
        const schema = schemas.get(name);
        if (schema?.type !== 'struct') throw new Error(`no struct ${name} in the catalogue`);
        return schema;
      },
      find: (name) => schemas.get(name),
      names: () => [...schemas.keys()],
    };
  }

  private draft(message: MessageDeclaration): Schema {
    const form = message.options['form'];
    if (form === undefined) return this.draftStruct(message);
    if (form === 'any') return { type: 'any', name: message.name, doc: this.text(message.doc) };
    if (form === 'list') return this.listForm(message);
    const scalar = typeof form === 'string' ? scalarForms[form] : undefined;
    if (!scalar) throw new Error(`${message.name}: its form is unknown`);
    return { ...scalar, doc: this.text(message.doc) };
  }

  private draftStruct(message: MessageDeclaration): StructDraft {
    return {
      type: 'struct',
      name: message.name,
      doc: this.text(message.doc),
      fields: new Map(),
      mapType: 'granular',
      preserveUnknown: false,
      embedded: [],
      ...(message.options['json_only'] === true && { jsonOnly: true }),
    };
  }

  /** A message that is written as the bare list of its only field. */
  private listForm(message: MessageDeclaration): ListSchema {
    const [items] = message.fields;
    const schema = items && scalars[items.type];
    if (!schema) throw new Error(`${message.name}: the form list needs one field of scalars`);
    return { type: 'list', doc: this.text(message.doc), items: schema, listType: 'atomic', listMapKeys: [] };
  }

  private fill(message: MessageDeclaration): void {
    const struct = this.schemas.get(message.name);
    if (struct?.type !== 'struct' || this.filled.has(message.name)) return;
    this.filled.add(message.name);
    const draft = struct as StructDraft;
    if (message.options['kind'] === true) addTypeMeta(draft.fields);
    for (const field of message.fields) {
      if (field.options['embedded'] === true) this.embed(draft, field);
      else this.addField(draft, field);
    }
  }

  private addField(draft: StructDraft, declaration: FieldDeclaration): void {
    const number = draft.jsonOnly === true ? 0 : declaration.number;
    const schema = this.fieldSchema(draft.name, declaration);
    const field = createField({ ...declaration, number }, schema, (text) => this.text(text));
    if (draft.fields.has(field.name)) throw new Error(`${draft.name}: two fields are called ${field.name}`);
    draft.fields.set(field.name, field);
  }

  private embed(draft: StructDraft, { name, number, type }: FieldDeclaration): void {
    const message = this.declarations.get(type);
    const schema = this.schemas.get(type);
    if (!message || schema?.type !== 'struct') throw new Error(`${draft.name}.${name}: ${type} is no struct`);
    this.fill(message);
    draft.embedded.push({ protoNumber: number, protoName: name, schema });
    for (const [key, field] of schema.fields) draft.fields.set(key, field);
  }

  private fieldSchema(owner: string, field: FieldDeclaration): Schema {
    const schema = isScalarType(field.type) ? scalars[field.type] : this.schemas.get(field.type);
    if (!schema) throw new Error(`${owner}.${field.name}: there is no type ${field.type}`);
    const atomic = field.options['atomic'] === true;
    if (field.shape === 'list') return this.listSchema(field, schema);
    if (field.shape === 'map') return mapSchema(schema, atomic);
    return atomic && schema.type === 'struct' ? this.atomicCopy(schema) : schema;
  }

  /** A list without `(list)` merges as its patch option says: by merge key, as a set, else as one value. */
  private listSchema(field: FieldDeclaration, items: Schema): ListSchema {
    return { type: 'list', doc: '', items, ...parseList(field.options) };
  }

  private atomicCopy(schema: StructSchema): StructSchema {
    let copy = this.atomicCopies.get(schema);
    if (!copy) {
      copy = { ...schema, mapType: 'atomic' };
      this.atomicCopies.set(schema, copy);
    }
    return copy;
  }

  private text(text: string): string {
    return expandNames(text, this.naming);
  }
}

function mapSchema(values: Schema, atomic: boolean): MapSchema {
  return { type: 'map', doc: '', values, mapType: atomic ? 'atomic' : 'granular' };
}

/** `kind` and `apiVersion` stand first in JSON; on the wire they are in the envelope. */
function addTypeMeta(fields: Map<string, Field>): void {
  const schema: ScalarSchema = { type: 'string', format: '', doc: '' };
  const keep = (text: string): string => text;
  const doc = {
    kind: 'What the object is, in CamelCase, such as Pod. Fixed for its life.',
    apiVersion:
      'Group and version that the object is written in, such as apps/v1; core objects write v1 alone.',
  };
  for (const name of ['kind', 'apiVersion'] as const) {
    const declaration = {
      name,
      number: 0,
      doc: doc[name],
      shape: 'one',
      type: 'string',
      options: {},
    } as const;
    fields.set(name, createField(declaration, schema, keep));
  }
}
