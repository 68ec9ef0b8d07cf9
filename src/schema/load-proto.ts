/**
 * The catalogue's `.proto` files as `Schema` nodes. Each message becomes one node; messages with a JSON form of
 * their own (`(form)`, see src/api/README.md) become scalars, free values or lists where they are used.
 */
import type { NamingProfile } from '../meta/naming.ts';
import { expandNames } from '../meta/naming.ts';
import { readDeclarations } from './declarations.ts';
import { createField, jsonNameOf, parseList, type FieldReading } from './proto-field.ts';
import type { FieldDeclaration, MessageDeclaration } from './proto-file.ts';
import { isScalarType, readProtoFile, wholeTypeName } from './proto-file.ts';
import { everyRelease, type SchemaRelease } from './schema-release.ts';
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
 * @param release whose fields, values and defaults the types have; absent: those of all releases, newest rules first
 * @throws Error that names the file, message and field of a defect
 */
export function loadSchemas(
  source: string | readonly string[],
  naming: NamingProfile,
  release: SchemaRelease = everyRelease,
): SchemaSet {
  const messages =
    typeof source === 'string'
      ? readDeclarations(source, release)
      : source.flatMap((path) => readProtoFile(path, release));
  return new SchemaLoader(messages, naming, release).load();
}

/** A struct under construction; others refer to it before its fields are known. */
interface StructDraft extends StructSchema {
  readonly fields: Map<string, Field>;
  readonly embedded: EmbeddedStruct[];
  otherReleases?: ReadonlySet<string>;
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
  private readonly release: SchemaRelease;
  private readonly reading: FieldReading;

  constructor(messages: readonly MessageDeclaration[], naming: NamingProfile, release: SchemaRelease) {
    this.declarations = new Map(messages.map((message) => [message.name, message]));
    this.naming = naming;
    this.release = release;
    this.reading = { expand: (text) => this.text(text), release };
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
    const other = new Set<string>();
    for (const field of message.fields) {
      if (!this.release.knows(field.options)) other.add(this.text(jsonNameOf(field)));
      else if (field.options['embedded'] === true) this.embed(draft, this.retyped(field));
      else this.addField(draft, this.retyped(field));
    }
    const hidden = withEmbedded(other, draft);
    if (hidden.size > 0) draft.otherReleases = new Set([...hidden, ...(draft.otherReleases ?? [])]);
  }

  /** The declaration with the type of the release. What only the other type has is a field of another release. */
  private retyped(field: FieldDeclaration): FieldDeclaration {
    const { retyped } = field.options;
    if (typeof retyped !== 'string') return field;
    const [name = '', since = ''] = retyped.split(' since ');
    const type = wholeTypeName(name, field.packageName);
    const [chosen, other] = this.release.hasReached(since) ? [type, field.type] : [field.type, type];
    this.hideFieldsOf(other, chosen);
    return { ...field, type: chosen };
  }

  private hideFieldsOf(other: string, chosen: string): void {
    const draft = this.schemas.get(chosen) as StructDraft | undefined;
    const own = new Set(this.declarations.get(chosen)?.fields.map((field) => field.name));
    const hidden = (this.declarations.get(other)?.fields ?? []).filter(({ name }) => !own.has(name));
    if (!draft || hidden.length === 0) return;
    const names = hidden.map((field) => this.text(jsonNameOf(field)));
    draft.otherReleases = new Set([...names, ...(draft.otherReleases ?? [])]);
  }

  private addField(draft: StructDraft, declaration: FieldDeclaration): void {
    const number = draft.jsonOnly === true ? 0 : declaration.number;
    const schema = this.fieldSchema(draft.name, declaration);
    const field = createField({ ...declaration, number }, schema, this.reading);
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
    const atomic = field.options['atomic'] === true || this.isAtomicSince(field.options['atomic_since']);
    if (field.shape === 'list') return this.listSchema(field, schema);
    if (field.shape === 'map') return mapSchema(schema, atomic);
    return atomic && schema.type === 'struct' ? this.atomicCopy(schema) : schema;
  }

  private isAtomicSince(release: unknown): boolean {
    return typeof release === 'string' && this.release.hasReached(release);
  }

  /** A list without `(list)` merges as its patch option says: by merge key, as a set, else as one value. */
  private listSchema(field: FieldDeclaration, items: Schema): ListSchema {
    return { type: 'list', doc: '', items, ...parseList(field.options, this.release) };
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

/** Fields of an embedded struct stand among those of its parent, so those of other releases do, too. */
function withEmbedded(own: Set<string>, { embedded }: StructDraft): Set<string> {
  for (const { schema } of embedded) for (const name of schema.otherReleases ?? []) own.add(name);
  return own;
}

function mapSchema(values: Schema, atomic: boolean): MapSchema {
  return { type: 'map', doc: '', values, mapType: atomic ? 'atomic' : 'granular' };
}

/** `kind` and `apiVersion` stand first in JSON; on the wire they are in the envelope. */
function addTypeMeta(fields: Map<string, Field>): void {
  const schema: ScalarSchema = { type: 'string', format: '', doc: '' };
  const keep: FieldReading = { expand: (text) => text, release: everyRelease };
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
      packageName: '',
    } as const;
    fields.set(name, createField(declaration, schema, keep));
  }
}
