/**
 * What the value of a mutation makes of an object: a configuration is laid over it as server-side apply does, without
 * field ownership, or a JSON patch is applied.
 */
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import type { CelValue } from '../../cel/language/values.ts';
import { CelList, NativeStruct } from '../../cel/language/values.ts';
import { jsonOf } from '../../cel/admission/json-of.ts';
import { jsonPatchType, objectType } from '../../cel/admission/patch-types.ts';
import { isSameType } from '../../cel/language/types.ts';
import { atomicPaths } from '../../patch/apply/atomic-paths.ts';
import { fieldsOf } from '../../patch/apply/fields-of.ts';
import { mergeConfiguration } from '../../patch/apply/merge.ts';
import { applyJsonPatch, parseJsonPatch, TestFailed } from '../../patch/json-patch.ts';
import { PatchError } from '../../patch/patch-error.ts';
import type { StructureResult } from '../../schema/structure.ts';
import type { StructSchema } from '../../schema/types.ts';

/** A change that cannot be done; what that means is up to the policy's failure policy. */
export class MutationProblem extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'MutationProblem';
  }
}

/** What is changed. */
export interface Changed {
  /** In the version that the policy names. Not mutated. */
  readonly object: JsonObject;
  /** Absent: nothing is known of it. */
  readonly schema: StructSchema | undefined;
  /** What does not fit the schema. */
  readonly structure: (body: JsonObject) => Pick<StructureResult, 'unknown' | 'errors'>;
  /** Of what the expression made, as `measure` gives it. */
  readonly maxWeight: number;
  /** Told of the weight that operations copy, as of `applyJsonPatch`. */
  readonly noteCopied?: ((weight: number) => void) | undefined;
}

/** @throws MutationProblem, EvaluationError */
export function applyMutation(
  patchType: 'ApplyConfiguration' | 'JSONPatch',
  value: CelValue,
  changed: Changed,
): JsonObject {
  return patchType === 'JSONPatch' ? jsonPatched(value, changed) : applied(value, changed);
}

function applied(value: CelValue, changed: Changed): JsonObject {
  const { object, schema, maxWeight } = changed;
  if (!(value instanceof NativeStruct) || !isSameType(value.type, objectType))
    throw new MutationProblem('unsupported return type from ApplyConfiguration expression');
  const made = jsonOf(value, maxWeight);
  const head = { apiVersion: object['apiVersion'] ?? null, kind: object['kind'] ?? null };
  const configuration: JsonObject = isObject(made) ? { ...made, ...head } : head;
  if (schema) checkConfiguration(configuration, schema, changed);
  return orProblem('error applying patch: failed to merge patch', () =>
    mergeConfiguration(object, configuration, schema),
  );
}

/** Most problems that are shown. */
const maxShown = 10;

function checkConfiguration(configuration: JsonObject, schema: StructSchema, { structure }: Changed): void {
  const { unknown, errors } = structure(configuration);
  const problems = [...unknown.map((path) => `.${path}: field not declared in schema`), ...errors];
  if (problems.length > 0)
    throw new MutationProblem(
      `error applying patch: failed to convert patch object to typed object: ${problems.slice(0, maxShown).join('; ')}`,
    );
  orProblem('error applying patch: failed to convert patch object to typed object', () =>
    fieldsOf(configuration, schema),
  );
  const atomics = atomicPaths(configuration, schema);
  if (atomics.length > 0)
    throw new MutationProblem(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics
        .slice(0, maxShown)
        .map((path) => shortText(path))
        .join(', ')}`,
    );
}

/** A test that fails leaves the object as it is. */
function jsonPatched(value: CelValue, { object, maxWeight, noteCopied }: Changed): JsonObject {
  if (!(value instanceof CelList))
    throw new MutationProblem('type mismatch: JSONPatchType.expression should evaluate to array');
  const operations = orProblem('JSON Patch', () => parseJsonPatch(operationsOf(value, maxWeight)));
  let patched: JsonValue;
  try {
    patched = applyJsonPatch(object, operations, noteCopied);
  } catch (error) {
    if (error instanceof TestFailed) return object;
    if (!(error instanceof PatchError)) throw error;
    throw new MutationProblem(`JSON Patch: ${error.message}`);
  }
  if (isObject(patched)) return patched;
  throw new MutationProblem('JSON Patch: the patch leaves no object');
}

function operationsOf(list: CelList, maxWeight: number): JsonValue {
  for (let i = 0; i < list.size; i += 1) {
    const item = list.at(i);
    if (!(item instanceof NativeStruct) || !isSameType(item.type, jsonPatchType))
      throw new MutationProblem(
        'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch',
      );
  }
  return jsonOf(list, maxWeight);
}

function orProblem<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new MutationProblem(`${what}: ${error.message}`);
  }
}
