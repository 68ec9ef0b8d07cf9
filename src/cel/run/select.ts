/** Fields and entries of values: `a.b`, `has(a.b)`, `a.?b`, `a[b]`, `a[?b]`. */
import { EvaluationError } from '../language/errors.ts';
import type { CelValue } from '../language/values.ts';
import { CelList, CelMap, CelStruct, mapKeyOf, Optional, Uint } from '../language/values.ts';
import { noSuchOverload } from './equality.ts';

/** @throws EvaluationError if there is no such field */
export function fieldOf(value: CelValue, name: string): CelValue {
  if (value instanceof Optional) return optionalField(value, name);
  const found = lookUp(value, name);
  if (found === undefined) throw new EvaluationError(`no such key: ${name}`);
  return found;
}

export function hasField(value: CelValue, name: string): boolean {
  if (value instanceof Optional) return value.value !== undefined && hasField(value.value, name);
  return lookUp(value, name) !== undefined;
}

/** The field as an optional; of an optional, of the value inside. */
export function optionalField(value: CelValue, name: string): Optional {
  if (value instanceof Optional) return value.value === undefined ? value : optionalField(value.value, name);
  return optionally(lookUp(value, name));
}

function optionally(value: CelValue | undefined): Optional {
  return value === undefined ? Optional.none : new Optional(value);
}

function lookUp(value: CelValue, name: string): CelValue | undefined {
  if (value instanceof CelStruct) return value.field(name);
  if (value instanceof CelMap) return value.get(name);
  throw noSuchOverload();
}

/** @throws EvaluationError if there is no such item or key */
export function itemOf(value: CelValue, index: CelValue): CelValue {
  if (value instanceof Optional) return optionalItem(value, index);
  if (value instanceof CelList) {
    const place = placeOf(index);
    if (place < 0 || place >= value.size) throw new EvaluationError(`index out of bounds: ${String(place)}`);
    return value.at(place);
  }
  if (!(value instanceof CelMap)) throw noSuchOverload();
  const found = value.get(index);
  if (found !== undefined) return found;
  const key = mapKeyOf(index);
  if (key === undefined) throw new EvaluationError('unsupported key type');
  throw new EvaluationError(`no such key: ${String(key)}`);
}

/** The item as an optional; of an optional, of the value inside. */
export function optionalItem(value: CelValue, index: CelValue): Optional {
  if (value instanceof Optional) return value.value === undefined ? value : optionalItem(value.value, index);
  if (value instanceof CelList) {
    const place = placeOf(index);
    return place < 0 || place >= value.size ? Optional.none : new Optional(value.at(place));
  }
  if (value instanceof CelMap) return optionally(value.get(index));
  throw noSuchOverload();
}

function placeOf(index: CelValue): number {
  const number = index instanceof Uint ? index.value : index;
  if (typeof number === 'number' && Number.isInteger(number)) return number;
  if (typeof number !== 'bigint') throw new EvaluationError('unsupported index type in a list');
  return Number(number);
}
