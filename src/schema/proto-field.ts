/** A field's options of the catalogue files (src/api/options.proto) read into a `Field`. */
import type { JsonValue } from '../base/json.ts';
import type { FieldDeclaration } from './proto-file.ts';
import type { DeclaredOptions, SchemaRelease } from './schema-release.ts';
import type { Field, ListSchema, PatchStrategy, Schema } from './types.ts';

/** How declarations are read. */
export interface FieldReading {
  /** Fills in the naming profile's words. */
  readonly expand: (text: string) => string;
  readonly release: SchemaRelease;
}

/** The name of a field in JSON, with placeholders. */
export function jsonNameOf({ name, options }: FieldDeclaration): string {
  return text(options, 'json') || name;
}

/** Makes a `Field` as the release has it. @throws Error that names the field of a defect */
export function createField(declaration: FieldDeclaration, schema: Schema, reading: FieldReading): Field {
  const { name, number, doc, options } = declaration;
  const { expand, release } = reading;
  const life = requirement(options, release);
  const closed = text(options, 'values');
  const patch = patchOf(options, release).split(' by ');
  const gate = text(options, 'gate');
  const omitZero = text(options, 'omit_zero');
  const leavesOutZero = omitZero !== '' && release.hasReached(omitZero);
  return {
    name: expand(jsonNameOf(declaration)),
    schema,
    doc: expand(doc),
    required: life.required,
    omitEmpty: !life.isWritten && options['written'] !== true,
    pointer: options['pointer'] === true || leavesOutZero,
    ...parseDefault(declaration, schema, reading),
    enumValues: parseValues(expand(closed || text(options, 'known_values')), release),
    enumClosed: closed !== '',
    patchStrategies: words(patch[0]).map((word) => parseStrategy(word, name)),
    patchMergeKey: patch[1] ?? '',
    protoNumber: number,
    protoName: name,
    protoType: wireType(declaration),
    ...(gate !== '' && { gate }),
    ...(text(options, 'rules') !== '' && { rules: text(options, 'rules') }),
  };
}

/** Whether clients must give the field in a release, and whether JSON has it even when it is empty. */
function requirement(
  options: DeclaredOptions,
  release: SchemaRelease,
): { required: boolean; isWritten: boolean } {
  const isReached = (name: string): boolean =>
    text(options, name) !== '' && release.hasReached(text(options, name));
  const isDeclared = options['required'] === true;
  const began = isReached('required_since');
  return {
    required: began || (isDeclared && !isReached('optional_since')),
    isWritten: isDeclared || (began && options['pointer'] !== true),
  };
}

/** How apply merges a list; without `(list)` its patch option says: by merge key, as a set, else as one value. */
export function parseList(
  options: DeclaredOptions,
  release: SchemaRelease,
): Pick<ListSchema, 'listType' | 'listMapKeys'> {
  const [list = '', since] = text(options, 'list').split(' since ');
  const [listType, keys] = since === undefined || release.hasReached(since) ? list.split(' by ') : [];
  if (listType === 'map' || listType === 'set' || listType === 'atomic') {
    return { listType, listMapKeys: words(keys) };
  }
  const [strategy, mergeKey] = patchOf(options, release).split(' by ');
  if (!words(strategy).includes('merge')) return { listType: 'atomic', listMapKeys: [] };
  return mergeKey === undefined
    ? { listType: 'set', listMapKeys: [] }
    : { listType: 'map', listMapKeys: [mergeKey] };
}

/** The patch option as a release has it: `merge by name since 1.23`, `merge by key until 1.28`. */
function patchOf(options: DeclaredOptions, release: SchemaRelease): string {
  const [, patch = '', word, at = ''] =
    /^(.*?)(?: (since|until) (1\.\d+))?$/.exec(text(options, 'patch')) ?? [];
  if (word === undefined) return patch;
  return release.hasReached(at) === (word === 'since') ? patch : '';
}

function text(options: DeclaredOptions, name: string): string {
  const value = options[name];
  return typeof value === 'string' ? value : '';
}

function words(list: string | undefined): string[] {
  return (list ?? '').split(' ').filter((word) => word !== '');
}

/** `""` in a list of values is the empty text; `A since 1.30` is a value that earlier releases do not know. */
function parseValues(list: string, release: SchemaRelease): string[] {
  if (list === '') return [];
  return list.split(', ').flatMap((item) => {
    const [value = '', since] = item.split(' since ');
    if (since !== undefined && !release.hasReached(since)) return [];
    return [value === '""' ? '' : value];
  });
}

function parseStrategy(word: string, field: string): PatchStrategy {
  if (word === 'merge' || word === 'replace' || word === 'retainKeys') return word;
  throw new Error(`${field}: patch strategy ${word} is unknown`);
}

const noDefault = { defaultValue: undefined, defaultCondition: '' } as const;

/** Strings are written as they are, all else as JSON, `=name` is kept for the defaulter. */
function parseDefault(
  { name, options }: FieldDeclaration,
  schema: Schema,
  { expand, release }: FieldReading,
): Pick<Field, 'defaultValue' | 'defaultCondition'> {
  if (typeof options['defaults'] !== 'string') return noDefault;
  const { holds, condition } = conditionIn(text(options, 'defaults_if'), release);
  if (!holds) return noDefault;
  const value = expand(options['defaults']);
  const isPlainText = schema.type === 'string' && schema.format === '';
  if (value.startsWith('=') || isPlainText) return { defaultValue: value, defaultCondition: condition };
  try {
    return { defaultValue: JSON.parse(value) as JsonValue, defaultCondition: condition };
  } catch (cause) {
    throw new Error(`${name}: the default ${value} is not JSON`, { cause });
  }
}

/** Terms about the release are settled here, once; the others depend on the object. */
function conditionIn(
  condition: string,
  release: SchemaRelease,
): { readonly holds: boolean; readonly condition: string } {
  if (condition === '') return { holds: true, condition };
  const terms = condition.split('; ');
  const isOfRelease = (term: string): boolean => /^(since|until) /.test(term);
  const holds = terms.filter(isOfRelease).every((term) => {
    const [word, at = ''] = term.split(' ');
    return release.hasReached(at) === (word === 'since');
  });
  return { holds, condition: terms.filter((term) => !isOfRelease(term)).join('; ') };
}

function wireType({ shape, type }: FieldDeclaration): string {
  if (shape === 'list') return `repeated ${type}`;
  return shape === 'map' ? `map<string,${type}>` : type;
}
