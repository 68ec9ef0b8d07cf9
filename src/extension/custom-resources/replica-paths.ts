/** Paths of the replica fields of a scale: names joined by dots. */
import type { CustomResourceSubresourceScale as Scale } from '../../api/apiextensions/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject, setOwn } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';

/** Errors of the replica fields. */
export function replicaErrors(
  object: ApiObject,
  { specReplicasPath, statusReplicasPath }: Scale,
): FieldError[] {
  return [specReplicasPath, statusReplicasPath].flatMap((path) => {
    const value = valueAt(asJson(object), stepsOf(path));
    if (typeof value !== 'number' || (value >= 0 && value < 2 ** 31)) return [];
    const rule =
      value < 0
        ? 'should be a non-negative integer'
        : `should be less than or equal to ${String(2 ** 31 - 1)}`;
    return [invalid((path ?? '').slice(1), value, rule)];
  });
}

/** The segments of a valid path. */
export function stepsOf(path: string | undefined): string[] {
  return path ? path.slice(1).split('.') : [];
}

export function valueAt(object: JsonObject, steps: readonly string[] = []): JsonValue | undefined {
  if (steps.length === 0) return undefined;
  return steps.reduce<JsonValue | undefined>(
    (value, step) => (isObject(value) ? getOwn(value, step) : undefined),
    object,
  );
}

export function numberAt(object: ApiObject, steps: readonly string[] | undefined): number {
  const value = valueAt(asJson(object), steps);
  return typeof value === 'number' && Number.isInteger(value) ? value : 0;
}

export function put(object: JsonObject, [step = '', ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    setOwn(object, step, value);
    return;
  }
  const before = getOwn(object, step);
  const below: JsonObject = isObject(before) ? before : {};
  put(below, rest, value);
  setOwn(object, step, below);
}
