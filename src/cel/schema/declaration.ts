/**
 * What expressions know of a schema: the types of its values, and how large they may be. What the schema does not
 * describe has no type, and no expression can name it.
 */
import type { JsonValue } from '../../base/json.ts';
import { getOwn } from '../../base/json.ts';
import type { Structural } from '../../schema/structural/types.ts';
import type { CelType, ObjectFields } from '../language/types.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  timestampType,
} from '../language/types.ts';
import { escapeName } from './property-names.ts';

export type ScalarKind =
  'bool' | 'int' | 'double' | 'string' | 'bytes' | 'timestamp' | 'date' | 'duration' | 'dyn';

interface Common {
  readonly type: CelType;
  /** Characters, bytes, items or entries that a value may have; 0 where that says nothing. */
  readonly most: number;
  /** Bytes that a value has in JSON at least. */
  readonly leastBytes: number;
}

export interface ScalarDeclaration extends Common {
  readonly kind: ScalarKind;
}

export interface ListDeclaration extends Common {
  readonly kind: 'list';
  readonly item: Declaration;
  readonly listType: Structural['listType'];
  readonly keys: readonly string[];
}

export interface MapDeclaration extends Common {
  readonly kind: 'map';
  readonly value: Declaration;
}

export interface FieldDeclaration {
  /** As JSON spells it. */
  readonly name: string;
  readonly declaration: Declaration;
}

export interface ObjectDeclaration extends Common {
  readonly kind: 'object';
  /** By their identifiers. */
  readonly fields: ReadonlyMap<string, FieldDeclaration>;
}

export type Declaration = ScalarDeclaration | ListDeclaration | MapDeclaration | ObjectDeclaration;

/** Bodies may be larger where this API is set up so; costs count on this size whatever the set-up, as the reference does. */
const bodyBytes = 3 * 1024 * 1024;

const scalar = (kind: ScalarKind, type: CelType, most: number, leastBytes: number): ScalarDeclaration => ({
  ...{ kind, type, most, leastBytes },
});

const anyText = scalar('string', stringType, bodyBytes - 2, 2);

/**
 * The declaration of a schema; undefined when expressions cannot see its values.
 * @param name a unique name for its type
 * @param isRoot a whole object: its kind, apiVersion and names are there whatever the schema says
 */
export function declarationOf(node: Structural, name: string, isRoot: boolean): Declaration | undefined {
  if (node.intOrString) return scalar('dyn', dynType, fourBytesEach(node) ?? bodyBytes - 2, 1);
  switch (node.type) {
    case 'array':
      return listDeclaration(node, name);
    case 'object':
      return node.additional === undefined || node.additional === true
        ? objectDeclaration(node, name, isRoot)
        : mapDeclaration(node, node.additional, name);
    case 'string':
      return textDeclaration(node);
    case 'boolean':
      return scalar('bool', boolType, 0, 4);
    case 'number':
      return scalar('double', doubleType, 0, 1);
    case 'integer':
      return scalar('int', intType, 0, 1);
    case undefined:
      return isRoot ? objectDeclaration(node, name, true) : undefined;
  }
}

function countIn({ raw }: Structural, keyword: string): number | undefined {
  const value: JsonValue | undefined = getOwn(raw, keyword);
  return typeof value === 'number' ? Math.max(0, value) : undefined;
}

/** A length is said in characters, which have up to four bytes. */
function fourBytesEach(node: Structural): number | undefined {
  const most = countIn(node, 'maxLength');
  return most === undefined ? undefined : most * 4;
}

function textDeclaration(node: Structural): ScalarDeclaration {
  const format = getOwn(node.raw, 'format');
  if (format === 'byte') return scalar('bytes', bytesType, countIn(node, 'maxLength') ?? bodyBytes - 2, 2);
  if (format === 'duration') return scalar('duration', durationType, 32, 3);
  if (format === 'date') return scalar('date', timestampType, 12, 12);
  if (format === 'date-time') return scalar('timestamp', timestampType, 32, 21);
  return scalar('string', stringType, fourBytesEach(node) ?? longestValue(node) ?? bodyBytes - 2, 2);
}

function longestValue({ raw }: Structural): number | undefined {
  const values = getOwn(raw, 'enum');
  if (!Array.isArray(values) || values.length === 0) return undefined;
  return values.reduce<number>(
    (most, value) => (typeof value === 'string' ? Math.max(most, Buffer.byteLength(value)) : most),
    0,
  );
}

function listDeclaration(node: Structural, name: string): ListDeclaration | undefined {
  const { items, listType, listMapKeys: keys } = node;
  const item = items && declarationOf(items, `${name}.@idx`, items.embedded);
  if (!item) return undefined;
  const most = countIn(node, 'maxItems') ?? Math.floor((bodyBytes - 2) / (item.leastBytes + 1));
  return { kind: 'list', type: listOf(item.type), most, leastBytes: 2, item, listType, keys };
}

function mapDeclaration(node: Structural, additional: Structural, name: string): MapDeclaration | undefined {
  const value = declarationOf(additional, `${name}.@elem`, additional.embedded);
  if (!value) return undefined;
  const most = countIn(node, 'maxProperties') ?? Math.floor((bodyBytes - 2) / (value.leastBytes + 6));
  return { kind: 'map', type: mapOf(stringType, value.type), most, leastBytes: 2, value };
}

function objectDeclaration(node: Structural, name: string, isRoot: boolean): ObjectDeclaration {
  const required = new Set(requiredOf(node));
  const fields = new Map<string, FieldDeclaration>();
  let leastBytes = 2;
  for (const [property, child] of node.properties) {
    const identifier = escapeName(property);
    const declaration = declarationOf(child, `${name}.${property}`, child.embedded);
    if (!declaration) continue;
    if (identifier !== undefined) fields.set(identifier, { name: property, declaration });
    if (required.has(property) && child.defaultValue === undefined)
      leastBytes += Buffer.byteLength(property) + declaration.leastBytes + 4;
  }
  if (isRoot) addEnvelope(fields, name);
  return { kind: 'object', type: objectType(name, fields), most: 0, leastBytes, fields };
}

function requiredOf({ raw }: Structural): string[] {
  const required = getOwn(raw, 'required');
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function objectType(name: string, fields: ReadonlyMap<string, FieldDeclaration>): CelType {
  const own: ObjectFields = { fieldType: (field) => fields.get(field)?.declaration.type };
  return { kind: 'object', name, fields: own };
}

/** What every whole object has. */
function addEnvelope(fields: Map<string, FieldDeclaration>, name: string): void {
  const names = new Map(
    ['name', 'generateName'].map((field) => [field, { name: field, declaration: anyText }] as const),
  );
  const metadata: ObjectDeclaration = {
    ...{ kind: 'object', type: objectType(`${name}.metadata`, names), most: 0, leastBytes: 2, fields: names },
  };
  fields.set('kind', { name: 'kind', declaration: anyText });
  fields.set('apiVersion', { name: 'apiVersion', declaration: anyText });
  fields.set('metadata', { name: 'metadata', declaration: metadata });
}

/** How much the value at a path below a declaration may hold; the first step names the variable. */
export function mostAt(root: Declaration, path: readonly string[]): number | undefined {
  let current: Declaration | undefined = root;
  for (const step of path.slice(1)) {
    if (current === undefined) return undefined;
    current = stepInto(current, step);
  }
  return current?.most;
}

function stepInto(declaration: Declaration, step: string): Declaration | undefined {
  if (declaration.kind === 'list') return step === '@items' ? declaration.item : undefined;
  if (declaration.kind === 'map') {
    if (step === '@values') return declaration.value;
    return step === '@keys' ? mapKeys : undefined;
  }
  return declaration.kind === 'object' ? declaration.fields.get(step)?.declaration : undefined;
}

/** Keys of maps are texts without a bound of their own. */
const mapKeys = scalar('string', stringType, 0, 2);
