/** What an expression may use: variables with their types, functions, names of types. */
import type { Functions } from '../language/functions.ts';
import type { Macros } from '../language/macros.ts';
import type { CelType } from '../language/types.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  opaque,
  optionalOf,
  stringType,
  timestampType,
  typeOfType,
  uintType,
} from '../language/types.ts';

/** The type of objects that an expression may make by their name: `Name{field: value}`. */
export type StructTypes = (name: string) => Extract<CelType, { kind: 'object' }> | undefined;

export interface Environment {
  readonly functions: Functions;
  /** In the order in which a run gets their values. */
  readonly variables: ReadonlyMap<string, CelType>;
  readonly macros: Macros;
  /** Absent: expressions make no objects. */
  readonly structs?: StructTypes;
  /** `a.?b` and its like. */
  readonly optionals: boolean;
  /** ``a.`b-c` ``, which the expressions of this API do not have. */
  readonly quotedNames: boolean;
  /** Literals of lists and maps hold values of one type. */
  readonly homogeneous: boolean;
  /** Prefix under which names are looked up first. */
  readonly container: string;
}

/** Names of types in expressions: `type(x) == string`. */
export const typeNames: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['bool', boolType],
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['string', stringType],
  ['bytes', bytesType],
  ['list', listOf(dynType)],
  ['map', mapOf(dynType, dynType)],
  ['type', typeOfType(dynType)],
  ['null_type', nullType],
  ['optional_type', optionalOf(dynType)],
  ['net.IP', opaque('net.IP')],
  ['net.CIDR', opaque('net.CIDR')],
  ['google.protobuf.Timestamp', timestampType],
  ['google.protobuf.Duration', durationType],
]);

/** Names that a name may stand for in a container, the most specific first. */
export function candidatesOf(name: string, container: string): string[] {
  if (name.startsWith('.')) return [name.slice(1)];
  const candidates: string[] = [];
  for (let prefix = container; prefix !== ''; prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf('.'))))
    candidates.push(`${prefix}.${name}`);
  return [...candidates, name];
}
