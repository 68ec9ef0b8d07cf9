/** TypeScript interfaces from catalogue schemas: one `<version>.types.ts` beside each `<version>.proto`. */
import { basename, dirname, join, relative } from 'node:path';
import type { NamingProfile } from '../../src/meta/naming.ts';
import type { SchemaSet } from '../../src/schema/load-proto.ts';
import { protoFiles } from '../../src/schema/declarations.ts';
import { loadSchemas } from '../../src/schema/load-proto.ts';
import { readProtoFile } from '../../src/schema/proto-file.ts';
import type { Field, Schema, StructSchema } from '../../src/schema/types.ts';

/** Names stay placeholders, so that the types fit every profile. */
const placeholders: NamingProfile = {
  name: 'orch',
  apiDomain: '{api}',
  labelDomain: '{label}',
  vendor: '{vendor}',
  extensionPrefix: '{x}',
  clientWords: [],
  encryptionWord: '',
  systemPrefix: '{ns}',
  serviceName: '{ns}',
  namespaceFinalizer: '{ns}',
  formerNamespaceFinalizers: [],
  expiredWatchesBegin: false,
};

/** Written by hand in src/meta/object.ts, since every room needs them. */
const handWritten = ['ListMeta', 'ManagedFieldsEntry', 'ObjectMeta', 'OwnerReference'];
const width = 110;

export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** The types of every group version below a catalogue folder. */
export function generateTypes(folder: string): GeneratedFile[] {
  const schemas = loadSchemas(folder, placeholders);
  return protoFiles(folder)
    .filter((path) => /^v\d/.test(basename(path)))
    .map((path) => ({
      path: path.replace(/\.proto$/, '.types.ts'),
      text: new TypesWriter(folder, path, schemas).write(),
    }));
}

class TypesWriter {
  private readonly folder: string;
  private readonly path: string;
  private readonly schemas: SchemaSet;
  private readonly packageName: string;
  /** Imported names by module, relative to this file. */
  private readonly imports = new Map<string, Set<string>>();

  constructor(folder: string, path: string, schemas: SchemaSet) {
    this.folder = folder;
    this.path = path;
    this.schemas = schemas;
    this.packageName = relative(folder, path).replace(/\.proto$/, '');
  }

  write(): string {
    const structs = readProtoFile(this.path)
      .map((message) => this.schemas.find(message.name))
      .filter((schema) => schema?.type === 'struct')
      .filter((schema) => !this.isHandWritten(schema.name));
    const body = structs.map((struct) => this.interfaceOf(struct));
    const head = `/** Types of ${this.packageName}; generated from ${basename(this.path)} by \`npm run generate\`. */`;
    return `${[head, ...this.importLines(), ...this.reExport(), '', body.join('\n\n')].join('\n')}\n`;
  }

  private isHandWritten(name: string): boolean {
    return handWritten.some((written) => name === `meta/v1.${written}`);
  }

  private reExport(): string[] {
    if (this.packageName !== 'meta/v1') return [];
    return [`export type { ${handWritten.join(', ')} } from '../../meta/object.ts';`];
  }

  private importLines(): string[] {
    return [...this.imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([from, names]) => importLine([...names].sort(), from));
  }

  private interfaceOf(struct: StructSchema): string {
    const members = [...struct.fields.values()].map((field) => this.member(field));
    const open = `${docLine(struct.doc, '')}export interface ${localName(struct.name)} {`;
    return members.length === 0 ? `${open}}` : `${open}\n${members.join('\n')}\n}`;
  }

  private member(field: Field): string {
    const type = this.typeOf(field.schema, field);
    const nullable = mayBeNull(field) ? ' | null' : '';
    return `${docLine(field.doc, '  ')}  ${memberName(field.name, `${type}${nullable} | undefined`)};`;
  }

  private typeOf(schema: Schema, field: Field): string {
    switch (schema.type) {
      case 'struct':
        return this.structName(schema.name);
      case 'map':
        return `Record<string, ${this.typeOf(schema.values, field)}>`;
      case 'list':
        return listOf(this.typeOf(schema.items, field));
      case 'any':
        return this.use('JsonValue', '../../base/json.ts');
      case 'string':
        return schema.format === 'int-or-string' ? 'number | string' : 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
        return 'boolean';
    }
  }

  private structName(name: string): string {
    const dot = name.lastIndexOf('.');
    const file = `${name.slice(0, dot)}.types.ts`;
    const local = localName(name);
    if (name.startsWith(`${this.packageName}.`)) {
      return this.isHandWritten(name) ? this.use(local, '../../meta/object.ts') : local;
    }
    const path = relative(dirname(this.path), join(this.folder, file));
    return this.use(local, path.startsWith('.') ? path : `./${path}`);
  }

  private use(name: string, from: string): string {
    const names = this.imports.get(from) ?? new Set();
    this.imports.set(from, names.add(name));
    const isTaken = this.schemas.find(`${this.packageName}.${name}`) !== undefined;
    if (!isTaken || this.isHandWritten(`${this.packageName}.${name}`)) return name;
    names.delete(name);
    names.add(`${name} as Foreign${name}`);
    return `Foreign${name}`;
  }
}

/** Lists and maps that are always written, and times, are null when empty. */
function mayBeNull({ schema, omitEmpty, pointer }: Field): boolean {
  if (schema.type === 'string') return schema.format === 'date-time' || schema.format === 'micro-time';
  return !omitEmpty && (pointer || schema.type === 'list' || schema.type === 'map');
}

/** Names with a profile's prefix differ by profile: they become a template. */
function memberName(name: string, type: string): string {
  if (name.startsWith('{x}')) return `[extension: \`x-\${string}-${name.slice(3)}\`]: ${type}`;
  return `${/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : `'${name}'`}?: ${type}`;
}

function listOf(items: string): string {
  return items.includes(' ') && !items.endsWith('>') ? `(${items})[]` : `${items}[]`;
}

function docLine(doc: string, indent: string): string {
  return doc === '' ? '' : `${indent}/** ${doc.replaceAll('*/', '* /')} */\n`;
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function importLine(names: readonly string[], from: string): string {
  const line = `import type { ${names.join(', ')} } from '${from}';`;
  if (line.length <= width) return line;
  return `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from '${from}';`;
}
