/** Logic, order, membership and sizes. */
import { EvaluationError } from '../language/errors.ts';
import { global, member, type CallCost, type Overload } from '../language/functions.ts';
import type { CelValue } from '../language/values.ts';
import { CelList, CelMap, NativeList } from '../language/values.ts';
import { areEqual, compare, sizeIn, sizeOf } from '../run/equality.ts';
import { insertIntoMap } from '../run/growing.ts';
import type { Run } from '../run/run.ts';
import { itemOf, optionalItem } from '../run/select.ts';

const traversal = 0.1;

/** Both texts are looked at as far as the shorter one goes. */
const shorter: CallCost = (a: CelValue, b: CelValue) => Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * traversal);

/** The sum of both is made. */
const both: CallCost = (a: CelValue, b: CelValue) => Math.ceil((sizeOf(a) + sizeOf(b)) * traversal);

/** The planner does these, for they do not need all of their operands; the checker knows them by their signatures. */
export const planned = (): CelValue => {
  throw new EvaluationError('no such overload');
};

const logic: readonly Overload[] = [
  global('_&&_', 'logical_and', 'bool, bool -> bool', planned),
  global('_||_', 'logical_or', 'bool, bool -> bool', planned),
  global('_?_:_', 'conditional', 'bool, A, A -> A', planned),
  global('@not_strictly_false', 'not_strictly_false', 'bool -> bool', planned),
  global('_==_', 'equals', 'A, A -> bool', planned),
  global('_!=_', 'not_equals', 'A, A -> bool', planned),
  global('!_', 'logical_not', 'bool -> bool', (_run, value: boolean) => !value),
];

type Decide = (order: number) => boolean;

const relations: readonly (readonly [name: string, id: string, decide: Decide])[] = [
  ['_<_', 'less', (order) => order < 0],
  ['_<=_', 'less_equals', (order) => order <= 0],
  ['_>_', 'greater', (order) => order > 0],
  ['_>=_', 'greater_equals', (order) => order >= 0],
];

const orderedTypes = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const numberTypes = ['int', 'uint', 'double'];
const idWords: Readonly<Record<string, string>> = { int: 'int64', uint: 'uint64' };

function relation([name, id, decide]: (typeof relations)[number], a: string, b: string): Overload {
  const words = a === b ? [a] : [a, b];
  const fullId = [id, ...words.map((word) => idWords[word] ?? word)].join('_');
  const implementation = (_run: Run, left: CelValue, right: CelValue): boolean => {
    const order = compare(left, right);
    return order !== undefined && decide(order);
  };
  const cost = a === 'string' || a === 'bytes' ? shorter : undefined;
  return global(name, fullId, `${a}, ${b} -> bool`, implementation, cost);
}

const order = relations.flatMap((entry) => orderedTypes.map((type) => relation(entry, type, type)));

/** Order between numbers of different types, which later releases know. */
export const mixedOrder: readonly Overload[] = relations.flatMap((entry) =>
  numberTypes.flatMap((a) => numberTypes.filter((b) => b !== a).map((b) => relation(entry, a, b))),
);

function isIn(run: Run, value: CelValue, list: CelList): boolean {
  for (let i = 0; i < list.size; i += 1) {
    run.work(1);
    if (areEqual(run, list.at(i), value)) return true;
  }
  return false;
}

/** Lists that are sets or maps are merged, as apply does; others follow each other. */
function joined(run: Run, a: CelList, b: CelList): CelList {
  run.work(a.size + b.size);
  const rules = a.rules ?? b.rules;
  if (!rules) return new NativeList([...itemsOf(a), ...itemsOf(b)]);
  const items = new Map<string, CelValue>();
  for (const item of [...itemsOf(a), ...itemsOf(b)]) items.set(rules.identityOf(item, run), item);
  return new NativeList([...items.values()], rules);
}

/** The items of a list as an array. */
export function itemsOf(list: CelList): readonly CelValue[] {
  return list instanceof NativeList ? list.items : Array.from({ length: list.size }, (_, i) => list.at(i));
}

const collections: readonly Overload[] = [
  global('_+_', 'add_list', 'list(A), list(A) -> list(A)', joined),
  global('_+_', 'add_string', 'string, string -> string', (_run, a: string, b: string) => a + b, both),
  global(
    '_+_',
    'add_bytes',
    'bytes, bytes -> bytes',
    (_run, a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b]),
    both,
  ),
  global('@in', 'in_list', 'A, list(A) -> bool', isIn, (_value: CelValue, list: CelList) => list.size),
  global(
    '@in',
    'in_map',
    'A, map(A, B) -> bool',
    (_run, key: CelValue, map: CelMap) => map.get(key) !== undefined,
  ),
  global('_[_]', 'index_list', 'list(A), int -> A', (_run, list: CelList, index: CelValue) =>
    itemOf(list, index),
  ),
  global('_[_]', 'index_map', 'map(A, B), A -> B', (_run, map: CelMap, key: CelValue) => itemOf(map, key)),
  global(
    'cel.@mapInsert',
    'map_insert_key',
    'map(A, B), A, B -> map(A, B)',
    (run, map: CelMap, key: CelValue, value: CelValue) => {
      run.work(1);
      return insertIntoMap(map, key, value);
    },
  ),
  global(
    'cel.@mapInsert',
    'map_insert_map',
    'map(A, B), map(A, B) -> map(A, B)',
    (run, map: CelMap, other: CelMap) => {
      run.work(sizeIn(run, other));
      for (const key of other.keys()) insertIntoMap(map, key, other.get(key) ?? null);
      return map;
    },
  ),
];

/** Indices into optional values, and those that give an optional. */
export const optionalIndices: readonly Overload[] = [
  global(
    '_[_]',
    'optional_list_index_int',
    'optional(list(A)), int -> optional(A)',
    (_run, value: CelValue, index: CelValue) => itemOf(value, index),
  ),
  global(
    '_[_]',
    'optional_map_index_value',
    'optional(map(A, B)), A -> optional(B)',
    (_run, value: CelValue, key: CelValue) => itemOf(value, key),
  ),
  ...[
    ['list_optindex_optional_int', 'list(A), int -> optional(A)'],
    ['optional_list_optindex_optional_int', 'optional(list(A)), int -> optional(A)'],
    ['map_optindex_optional_value', 'map(A, B), A -> optional(B)'],
    ['optional_map_optindex_optional_value', 'optional(map(A, B)), A -> optional(B)'],
  ].map(([id = '', signature = '']) =>
    global('_[?_]', id, signature, (_run, value: CelValue, index: CelValue) => optionalItem(value, index)),
  ),
];

/** Characters are code points. */
export function codePointCount(run: Run, text: string): number {
  run.work(text.length / 64);
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    // The second half of a pair is no character of its own.
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
}

function size(run: Run, value: CelValue): bigint {
  if (typeof value === 'string') return BigInt(codePointCount(run, value));
  return BigInt(sizeIn(run, value));
}

const sizes = ['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((type) => {
  const id = type.replace(/\(.*/, '');
  return [
    global('size', `size_${id}`, `${type} -> int`, size),
    member('size', `${id}_size`, `${type} -> int`, size),
  ];
});

export const operators: readonly Overload[] = [...logic, ...order, ...collections, ...sizes];
