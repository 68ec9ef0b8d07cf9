/** Equality and order of values (language definition, "Equality", "Ordering"). Values of different types differ. */
import { EvaluationError } from '../language/errors.ts';
import { isSameType, runtimeTypeName } from '../language/types.ts';
import type { CelValue, ListRules } from '../language/values.ts';
import {
  CelList,
  CelMap,
  CelStruct,
  Duration,
  Opaque,
  Optional,
  Timestamp,
  typeOfValue,
  TypeValue,
  Uint,
} from '../language/values.ts';
import type { Run } from './run.ts';

/** Numbers of all types compare by their value. */
export type NumberValue = bigint | number | Uint;

export function isNumber(value: CelValue): value is NumberValue {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

function plain(value: NumberValue): bigint | number {
  return value instanceof Uint ? value.value : value;
}

/** @throws EvaluationCut when large values take too long */
export function areEqual(run: Run, a: CelValue, b: CelValue): boolean {
  if (typeof a === 'string' || typeof a === 'boolean' || a === null) return a === b;
  if (isNumber(a)) return isNumber(b) && order(plain(a), plain(b)) === 0;
  run.work(1);
  if (a instanceof CelList) return b instanceof CelList && areListsEqual(run, a, b);
  if (a instanceof CelMap) return b instanceof CelMap && areMapsEqual(run, a, b);
  if (a instanceof CelStruct) return b instanceof CelStruct && areStructsEqual(run, a, b);
  return areScalarsEqual(run, a, b);
}

function areScalarsEqual(
  run: Run,
  a: Uint8Array | Timestamp | Duration | TypeValue | Optional | Opaque,
  b: CelValue,
): boolean {
  if (a instanceof Uint8Array) {
    run.work(a.length / 64);
    return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  }
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue)
    return b instanceof TypeValue && runtimeTypeName(a.type) === runtimeTypeName(b.type);
  if (a instanceof Optional) return b instanceof Optional && areOptionalsEqual(run, a, b);
  return b instanceof Opaque && isSameType(a.type, b.type) && a.equals(b);
}

function areOptionalsEqual(run: Run, { value: a }: Optional, { value: b }: Optional): boolean {
  return a === undefined || b === undefined ? a === b : areEqual(run, a, b);
}

function areListsEqual(run: Run, a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false;
  const rules = a.rules ?? b.rules;
  if (rules) return areSetsEqual(run, [a, b], rules.identityOf);
  for (let i = 0; i < a.size; i += 1) if (!areEqual(run, a.at(i), b.at(i))) return false;
  return true;
}

/** Items with an identity: order says nothing. */
function areSetsEqual(
  run: Run,
  [a, b]: readonly [CelList, CelList],
  identityOf: ListRules['identityOf'],
): boolean {
  const others = new Map<string, CelValue>();
  for (let i = 0; i < b.size; i += 1) {
    run.work(1);
    others.set(identityOf(b.at(i), run), b.at(i));
  }
  for (let i = 0; i < a.size; i += 1) {
    run.work(1);
    const other = others.get(identityOf(a.at(i), run));
    if (other === undefined || !areEqual(run, a.at(i), other)) return false;
  }
  return true;
}

function areMapsEqual(run: Run, a: CelMap, b: CelMap): boolean {
  if (sizeIn(run, a) !== sizeIn(run, b)) return false;
  for (const key of a.keys()) {
    run.work(1);
    const [own, other] = [a.get(key), b.get(key)];
    if (own === undefined || other === undefined || !areEqual(run, own, other)) return false;
  }
  return true;
}

function areStructsEqual(run: Run, a: CelStruct, b: CelStruct): boolean {
  if (!isSameType(a.type, b.type)) return false;
  const names = new Set([...a.names(), ...b.names()]);
  run.work(names.size + (a.width + b.width) / namesOfWork);
  for (const name of names) {
    const [own, other] = [a.field(name), b.field(name)];
    if (own === undefined || other === undefined || !areEqual(run, own, other)) return false;
  }
  return true;
}

/** Negative, zero or positive; undefined when a number is not a number. @throws EvaluationError if values have no order */
export function compare(a: CelValue, b: CelValue): number | undefined {
  if (isNumber(a) && isNumber(b)) return order(plain(a), plain(b));
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  throw noSuchOverload();
}

/** Whole and floating numbers compare as floating ones, as the language's tests want it. */
function order(a: bigint | number, b: bigint | number): number | undefined {
  if (typeof a !== typeof b) return order(Number(a), Number(b));
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : undefined;
}

/** By code points: UTF-16 puts some of them elsewhere. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (one !== other)
      return isSurrogate(one) === isSurrogate(other) ? one - other : isSurrogate(one) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

export function noSuchOverload(): EvaluationError {
  return new EvaluationError('no such overload');
}

/** What a value counts for in costs: characters, bytes, items; 1 for what has no size. */
export function sizeOf(value: CelValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

/** Names that are one piece of work. */
const namesOfWork = 16;

/** The same, and charges for the names of a map, which are worked out when they are first asked for. @throws EvaluationCut */
export function sizeIn(run: Run, value: CelValue): number {
  if (value instanceof Optional && value.value !== undefined) return sizeIn(run, value.value);
  const size = sizeOf(value);
  if (value instanceof CelMap) run.work(size / namesOfWork);
  return size;
}

/** The name of a value's type, for messages. */
export function typeNameOf(value: CelValue): string {
  return runtimeTypeName(typeOfValue(value));
}
