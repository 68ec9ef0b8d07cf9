/** Types of the expression language, as the checker infers them and as values have them. */

/** What an object type has: the fields that an expression may name. */
export interface ObjectFields {
  /** The type of a field; undefined when the type does not declare it. */
  fieldType(name: string): CelType | undefined;
}

export type SimpleKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration';

export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly item: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'type'; readonly of: CelType }
  | { readonly kind: 'object'; readonly name: string; readonly fields: ObjectFields }
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly CelType[] }
  | { readonly kind: 'parameter'; readonly name: string };

const simple = <K extends SimpleKind>(kind: K): { readonly kind: K } => ({ kind });

export const dynType = simple('dyn');
/** Of an expression with an error, which was reported: it fits everywhere, so that one mistake is one error. */
export const errorType = simple('error');
export const nullType = simple('null');
export const boolType = simple('bool');
export const intType = simple('int');
export const uintType = simple('uint');
export const doubleType = simple('double');
export const stringType = simple('string');
export const bytesType = simple('bytes');
export const timestampType = simple('timestamp');
export const durationType = simple('duration');

export function listOf(item: CelType): CelType {
  return { kind: 'list', item };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', key, value };
}

export function typeOfType(of: CelType): CelType {
  return { kind: 'type', of };
}

export function opaque(name: string, ...parameters: CelType[]): CelType {
  return { kind: 'opaque', name, parameters };
}

const optionalName = 'optional_type';

export function optionalOf(type: CelType): CelType {
  return opaque(optionalName, type);
}

/** The type inside of an optional one; undefined for other types. */
export function insideOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === optionalName ? type.parameters[0] : undefined;
}

/** A type as messages spell it: `map(string, list(int))`. */
export function typeText(type: CelType): string {
  if (type.kind === 'list') return `list(${typeText(type.item)})`;
  if (type.kind === 'map') return `map(${typeText(type.key)}, ${typeText(type.value)})`;
  if (type.kind === 'type') return `type(${typeText(type.of)})`;
  if (type.kind === 'object' || type.kind === 'parameter') return type.name;
  if (type.kind !== 'opaque') return type.kind === 'error' ? '!error!' : type.kind;
  const { name, parameters } = type;
  return parameters.length === 0 ? name : `${name}(${parameters.map(typeText).join(', ')})`;
}

const typeNames: Readonly<Partial<Record<CelType['kind'], string>>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

/** The name by which values of a type are known at run time: that of `type(x)`, without parameters. */
export function runtimeTypeName(type: CelType): string {
  if (type.kind === 'object' || type.kind === 'opaque' || type.kind === 'parameter') return type.name;
  return typeNames[type.kind] ?? type.kind;
}

/** Whether two types are the same, parameters and all. */
export function isSameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind === 'list') return b.kind === 'list' && isSameType(a.item, b.item);
  if (a.kind === 'map') return b.kind === 'map' && isSameType(a.key, b.key) && isSameType(a.value, b.value);
  if (a.kind === 'type') return b.kind === 'type' && isSameType(a.of, b.of);
  if (a.kind === 'object' || a.kind === 'parameter') return b.kind === a.kind && a.name === b.name;
  if (a.kind === 'opaque')
    return b.kind === 'opaque' && a.name === b.name && areSame(a.parameters, b.parameters);
  return a.kind === b.kind;
}

function areSame(a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((type, i) => isSameType(type, b[i] ?? errorType));
}
