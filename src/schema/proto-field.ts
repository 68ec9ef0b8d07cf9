/** A field's options of the catalogue files (src/api/options.proto) read into a `Field`. */
import type { JsonValue } from '../base/json.ts';
import type { DeclaredOptions, FieldDeclaration } from './proto-file.ts';
import type { Field, ListSchema, PatchStrategy, Schema } from './types.ts';

/** Makes a `Field`; `expand` fills in the naming profile's words. @throws Error that names the field of a defect */
export function createField(
  declaration: FieldDeclaration,
  schema: Schema,
  expand: (text: string) => string,
): Field {
  const { name, number, doc, options } = declaration;
  const required = options['required'] === true;
  const closed = text(options, 'values');
  const patch = text(options, 'patch').split(' by ');
  return {
    name: expand(text(options, 'json') || name),
    schema,
    doc: expand(doc),
    required,
    omitEmpty: !required && options['written'] !== true,
    pointer: options['pointer'] === true,
    defaultValue: parseDefault(declaration, schema, expand),
    defaultCondition: text(options, 'defaults_if'),
    enumValues: parseValues(expand(closed || text(options, 'known_values'))),
    enumClosed: closed !== '',
    patchStrategies: words(patch[0]).map((word) => parseStrategy(word, name)),
    patchMergeKey: patch[1] ?? '',
    protoNumber: number,
    protoName: name,
    protoType: wireType(declaration),
  };
}

/** How apply merges a list; without `(list)` its patch option says: by merge key, as a set, else as one value. */
export function parseList(options: DeclaredOptions): Pick<ListSchema, 'listType' | 'listMapKeys'> {
  const [listType, keys] = text(options, 'list').split(' by ');
  if (listType === 'map' || listType === 'set' || listType === 'atomic') {
    return { listType, listMapKeys: words(keys) };
  }
  const [strategy, mergeKey] = text(options, 'patch').split(' by ');
  if (!words(strategy).includes('merge')) return { listType: 'atomic', listMapKeys: [] };
  return mergeKey === undefined
    ? { listType: 'set', listMapKeys: [] }
    : { listType: 'map', listMapKeys: [mergeKey] };
}

function text(options: DeclaredOptions, name: string): string {
  const value = options[name];
  return typeof value === 'string' ? value : '';
}

function words(list: string | undefined): string[] {
  return (list ?? '').split(' ').filter((word) => word !== '');
}

/** `""` in a list of values is the empty text. */
function parseValues(list: string): string[] {
  if (list === '') return [];
  return list.split(', ').map((value) => (value === '""' ? '' : value));
}

function parseStrategy(word: string, field: string): PatchStrategy {
  if (word === 'merge' || word === 'replace' || word === 'retainKeys') return word;
  throw new Error(`${field}: patch strategy ${word} is unknown`);
}

/** Strings are written as they are, all else as JSON, `=name` is kept for the defaulter. */
function parseDefault(
  { name, options }: FieldDeclaration,
  schema: Schema,
  expand: (text: string) => string,
): JsonValue | undefined {
  if (typeof options['defaults'] !== 'string') return undefined;
  const value = expand(options['defaults']);
  const isPlainText = schema.type === 'string' && schema.format === '';
  if (value.startsWith('=') || isPlainText) return value;
  try {
    return JSON.parse(value) as JsonValue;
  } catch (cause) {
    throw new Error(`${name}: the default ${value} is not JSON`, { cause });
  }
}

function wireType({ shape, type }: FieldDeclaration): string {
  if (shape === 'list') return `repeated ${type}`;
  return shape === 'map' ? `map<string,${type}>` : type;
}
