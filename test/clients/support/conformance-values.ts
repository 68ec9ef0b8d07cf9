/** Values and types of the conformance data as those of the engine. */
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
  stringType,
  timestampType,
  typeOfType,
  uintType,
  isSameType,
  type CelType,
  runtimeTypeName,
} from '../../../src/cel/language/types.ts';
import {
  CelList,
  CelMap,
  Duration,
  mapKeyOf,
  NativeList,
  NativeMap,
  Timestamp,
  TypeValue,
  Uint,
  typeOfValue,
  type CelValue,
  type MapKey,
} from '../../../src/cel/language/values.ts';
import { typeNames } from '../../../src/cel/check/environment.ts';
import type { TextMessage } from './conformance-text-format.ts';

/** A case that is about what expressions of this API do not have. */
export class LeftOut extends Error {}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
};

const readers: Readonly<Record<string, (value: TextMessage) => CelValue>> = {
  null_value: () => null,
  bool_value: (value) => value.word('bool_value') === 'true',
  int64_value: (value) => BigInt(value.word('int64_value')),
  uint64_value: (value) => new Uint(BigInt(value.word('uint64_value'))),
  double_value: (value) => numberOf(value.word('double_value')),
  string_value: (value) => value.text('string_value'),
  bytes_value: (value) => new Uint8Array(value.bytes('bytes_value')),
  type_value: (value) => typeValue(value.text('type_value')),
  list_value: (value) => new NativeList(listed(value, 'list_value', 'values').map(valueOf)),
  map_value: (value) => mapValue(listed(value, 'map_value', 'entries')),
  object_value: (value) => timeValue(value.message('object_value')),
};

/** @throws LeftOut for messages */
export function valueOf(value: TextMessage): CelValue {
  const [kind = ''] = value.names();
  const read = readers[kind];
  if (!read) throw new LeftOut('messages');
  return read(value);
}

function listed(value: TextMessage, kind: string, name: string): TextMessage[] {
  return value.message(kind)?.messages(name) ?? [];
}

function numberOf(word: string): number {
  if (/^-?inf/i.test(word)) return word.startsWith('-') ? -Infinity : Infinity;
  return Number(word);
}

function typeValue(name: string): CelValue {
  const type = typeNames.get(name);
  if (!type) throw new LeftOut('messages');
  return new TypeValue(type);
}

function mapValue(entries: readonly TextMessage[]): CelValue {
  const map = new Map<MapKey, readonly [CelValue, CelValue]>();
  for (const entry of entries) {
    const [key, value] = [part(entry, 'key'), part(entry, 'value')];
    const known = mapKeyOf(key);
    if (known === undefined) throw new Error('a map with a key of no type for keys');
    map.set(known, [key, value]);
  }
  return new NativeMap(map);
}

function part(entry: TextMessage, name: string): CelValue {
  const value = entry.message(name);
  if (!value) throw new Error(`an entry without ${name}`);
  return valueOf(value);
}

const times: Readonly<Record<string, new (nanos: bigint) => CelValue>> = {
  '[type.googleapis.com/google.protobuf.Timestamp]': Timestamp,
  '[type.googleapis.com/google.protobuf.Duration]': Duration,
};

function timeValue(any: TextMessage | undefined): CelValue {
  const [name = ''] = any?.names() ?? [];
  const time = times[name];
  const inside = any?.message(name);
  if (!time || !inside) throw new LeftOut('messages');
  const [seconds, nanos] = ['seconds', 'nanos'].map((field) => BigInt(inside.word(field) || '0'));
  return new time((seconds ?? 0n) * 1_000_000_000n + (nanos ?? 0n));
}

/** @throws LeftOut for messages */
export function typeOf(type: TextMessage): CelType {
  const [kind = ''] = type.names();
  const inside = type.message(kind);
  const within = (name: string): CelType => {
    const part = inside?.message(name);
    return part ? typeOf(part) : dynType;
  };
  if (kind === 'dyn') return dynType;
  if (kind === 'null') return nullType;
  if (kind === 'primitive') return primitives[type.word(kind)] ?? dynType;
  if (kind === 'list_type') return listOf(within('elem_type'));
  if (kind === 'map_type') return mapOf(within('key_type'), within('value_type'));
  if (kind === 'type_param') return { kind: 'parameter', name: type.text(kind) };
  if (kind === 'type') return typeOfType(inside && inside.names().length > 0 ? typeOf(inside) : dynType);
  if (kind === 'abstract_type' && inside)
    return opaque(inside.text('name'), ...inside.messages('parameter_types').map(typeOf));
  return timeType(type.word('well_known'));
}

function timeType(name: string): CelType {
  if (name === 'TIMESTAMP') return timestampType;
  if (name === 'DURATION') return durationType;
  throw new LeftOut('messages');
}

/** Whether a result is what a case wants: of the same type, not only equal as the language has it; NaN is NaN. */
export function isSame(a: CelValue, b: CelValue): boolean {
  if (a instanceof CelList) return b instanceof CelList && areSameLists(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && areSameMaps(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof TypeValue)
    return b instanceof TypeValue && runtimeTypeName(a.type) === runtimeTypeName(b.type);
  return Object.is(plain(a), plain(b)) ? isSameType(typeOfValue(a), typeOfValue(b)) : a === b;
}

/** What a number or a time holds, without its type. */
function plain(value: CelValue): CelValue {
  if (value instanceof Uint) return value.value;
  return value instanceof Timestamp || value instanceof Duration ? value.nanos : value;
}

function areSameLists(a: CelList, b: CelList): boolean {
  return (
    a.size === b.size && Array.from({ length: a.size }, (_, i) => isSame(a.at(i), b.at(i))).every(Boolean)
  );
}

function areSameMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  return [...a.keys()].every((key) => {
    const [one, other] = [a.get(key), b.get(key)];
    return one !== undefined && other !== undefined && isSame(one, other);
  });
}
