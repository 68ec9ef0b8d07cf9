/** Values that an expression made, as JSON: bounded, as a value may hold another one any number of times. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { setOwn } from '../../base/json.ts';
import { EvaluationError } from '../language/errors.ts';
import { runtimeTypeName } from '../language/types.ts';
import type { CelValue } from '../language/values.ts';
import {
  CelList,
  CelMap,
  CelStruct,
  Duration,
  NativeStruct,
  Timestamp,
  typeOfValue,
  Uint,
} from '../language/values.ts';
import { jsonPatchType } from './patch-types.ts';
import { durationText, timestampText } from '../library/time-text.ts';

/** As `measure` counts them. */
const nodeWeight = 8;
const maxDepth = 1_000;

/** The value is larger than the caller takes. */
export class TooLargeValue extends EvaluationError {
  constructor() {
    super('the value is too large');
    this.name = 'TooLargeValue';
  }
}

/**
 * The value as JSON. An object that the expression made has the type of its place: in the field `a` of `Object.spec`
 * stands an `Object.spec.a`, be it in lists or maps.
 * @param maxWeight of the result, as `measure` gives it
 * @throws EvaluationError, TooLargeValue
 */
export function jsonOf(value: CelValue, maxWeight: number): JsonValue {
  return new Conversion(maxWeight).convert(value, undefined);
}

class Conversion {
  private left: number;
  private depth = 0;

  constructor(maxWeight: number) {
    this.left = maxWeight;
  }

  private take(weight: number): void {
    this.left -= weight;
    if (this.left < 0) throw new TooLargeValue();
  }

  /** @param place type that an object made here must have; undefined: any */
  convert(value: CelValue, place: string | undefined): JsonValue {
    this.take(nodeWeight);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'bigint') return wholeNumber(value);
    if (typeof value === 'number') return finite(value);
    if (value instanceof Uint) return wholeNumber(value.value);
    if (value instanceof Uint8Array) return this.text(Buffer.from(value).toString('base64'));
    if (value instanceof Timestamp) return timestampText(value);
    if (value instanceof Duration) return durationText(value);
    return this.collection(value, place);
  }

  private text(text: string): string {
    this.take(text.length);
    return text;
  }

  private collection(value: CelValue, place: string | undefined): JsonValue {
    this.depth += 1;
    if (this.depth > maxDepth) throw new TooLargeValue();
    const made = this.made(value, place);
    this.depth -= 1;
    return made;
  }

  private made(value: CelValue, place: string | undefined): JsonValue {
    if (value instanceof CelList) {
      const items: JsonValue[] = [];
      for (let i = 0; i < value.size; i += 1) items.push(this.convert(value.at(i), place));
      return items;
    }
    if (value instanceof CelMap) return this.map(value, place);
    if (value instanceof CelStruct) return this.struct(value, place);
    throw new EvaluationError(`a value of type ${runtimeTypeName(typeOfValue(value))} has no JSON form`);
  }

  private map(map: CelMap, place: string | undefined): JsonObject {
    const object: JsonObject = {};
    for (const key of map.keys()) {
      if (typeof key !== 'string')
        throw new EvaluationError(
          `a key of a map is of type ${runtimeTypeName(typeOfValue(key))}, not string`,
        );
      this.take(key.length);
      setOwn(object, key, this.convert(map.get(key) ?? null, place));
    }
    return object;
  }

  private struct(struct: CelStruct, place: string | undefined): JsonObject {
    const name = struct instanceof NativeStruct ? runtimeTypeName(struct.type) : undefined;
    if (name !== undefined && place !== undefined && name !== place)
      throw new EvaluationError(
        `type mismatch: unexpected type name "${name}", expected "${place}", which matches field name path from root Object type`,
      );
    const object: JsonObject = {};
    for (const field of struct.names()) {
      this.take(field.length);
      setOwn(object, field, this.convert(struct.field(field) ?? null, placeBelow(name, field)));
    }
    return object;
  }
}

/** An operation of a patch says where its value belongs, and only when it runs. */
function placeBelow(name: string | undefined, field: string): string | undefined {
  return name === undefined || name === jsonPatchType.name ? undefined : `${name}.${field}`;
}

function wholeNumber(value: bigint): JsonValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new EvaluationError(`the number ${String(value)} has no JSON form`);
}
