/** Reads one `.proto` file of the catalogue into plain declarations; protobufjs stays behind this file. */
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { everyRelease, type DeclaredOptions, type SchemaRelease } from './schema-release.ts';

/** A message as written, type names made whole: `core/v1.Container`. */
export interface MessageDeclaration {
  readonly name: string;
  readonly doc: string;
  readonly options: DeclaredOptions;
  readonly fields: readonly FieldDeclaration[];
}

export interface FieldDeclaration {
  readonly name: string;
  readonly number: number;
  readonly doc: string;
  readonly shape: 'one' | 'list' | 'map';
  /** Scalar type or schema name of the value, element or map value. */
  readonly type: string;
  readonly options: DeclaredOptions;
  /** The package of its file: `core.v1`. */
  readonly packageName: string;
}

const scalarTypes: ReadonlySet<string> = new Set([
  'string',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'bool',
  'float',
  'double',
  'bytes',
]);

/** True for a type that protobuf itself knows. */
export function isScalarType(type: string): boolean {
  return scalarTypes.has(type);
}

/** A file may begin with `// Since 1.30.`: releases before that have none of its types, which are not parsed then. */
const introduction = /^\/\/ Since (1\.[0-9]+)\./;

/** The first release that has a file's types; '' for all. */
export function releaseOf(path: string): string {
  return introduction.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
}

/** Without messages of later releases. */
export function messagesSince(
  messages: readonly MessageDeclaration[],
  release: SchemaRelease,
): MessageDeclaration[] {
  return messages.filter(({ options: { since } }) =>
    release.hasReached(typeof since === 'string' ? since : ''),
  );
}

/** Every message of a file; none if the release is before the file's. @throws Error that names the file when it cannot be read or parsed */
export function readProtoFile(path: string, release: SchemaRelease = everyRelease): MessageDeclaration[] {
  const text = readFileSync(path, 'utf8');
  if (!release.hasReached(introduction.exec(text)?.[1] ?? '')) return [];
  try {
    const parsed = protobuf.parse(messagesOf(text, release), new protobuf.Root(), {
      keepCase: true,
      alternateCommentMode: true,
    });
    const packageName = parsed.package ?? '';
    const namespace = parsed.root.lookup(packageName);
    if (!(namespace instanceof protobuf.Namespace)) throw new Error('a package is missing');
    return namespace.nestedArray
      .filter((nested) => nested instanceof protobuf.Type)
      .map((type) => readMessage(type, packageName));
  } catch (cause) {
    throw new Error(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The text without messages of later releases: parsing takes most of the time of a load. */
function messagesOf(text: string, release: SchemaRelease): string {
  const end = '\n}\n';
  const start = Math.max(text.search(firstMessage), 0);
  const messages = text.slice(start).split(end);
  const known = messages.filter((message) =>
    release.hasReached(messageIntroduction.exec(message)?.[1] ?? ''),
  );
  return text.slice(0, start) + known.join(end);
}

const firstMessage = /^message /m;
const messageIntroduction = /^ {2}option \(since\) = "(1\.[0-9]+)";$/m;

function readMessage(type: protobuf.Type, packageName: string): MessageDeclaration {
  return {
    name: schemaName(packageName, type.name),
    doc: type.comment ?? '',
    options: readOptions(type.options),
    fields: type.fieldsArray.map((field) => readField(field, packageName)),
  };
}

function readField(field: protobuf.Field, packageName: string): FieldDeclaration {
  return {
    name: field.name,
    number: field.id,
    doc: field.comment ?? '',
    shape: field instanceof protobuf.MapField ? 'map' : field.repeated ? 'list' : 'one',
    type: wholeTypeName(field.type, packageName),
    options: readOptions(field.options),
    packageName,
  };
}

/** `(required)` becomes `required`. */
function readOptions(options: Record<string, unknown> | undefined): DeclaredOptions {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options ?? {})) {
    if (name.startsWith('(')) result[name.slice(1, -1)] = value;
  }
  return result;
}

/** A type as it is written in a file of the package, made whole. */
export function wholeTypeName(type: string, packageName: string): string {
  if (isScalarType(type)) return type;
  const dot = type.lastIndexOf('.');
  return dot < 0 ? schemaName(packageName, type) : schemaName(type.slice(0, dot), type.slice(dot + 1));
}

/** `core.v1` and `Pod` give `core/v1.Pod`. */
function schemaName(packageName: string, message: string): string {
  return `${packageName.replace('.', '/')}.${message}`;
}
