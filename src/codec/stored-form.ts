/** What parsing the stored text of an object would give, made of the object itself. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { isObject, setOwn } from '../base/json.ts';
import { metadataParts } from './metadata-order.ts';

/**
 * The object that `decodeStored(encodeStored(object))` gives, order of keys included, without the text: a tenth of the
 * time where `known` is what the object was made from. It shares its parts with the object, which nobody may change
 * from then on.
 * @param known an object that was read from stored text or is such a form: what both share is not looked at again
 * @returns undefined for an object that holds something which its text says otherwise (-0, a number of more digits than
 * a float has): such an object has to be parsed
 */
export function storedForm(object: JsonObject, known: JsonObject = {}): JsonObject | undefined {
  const { kind, apiVersion, metadata, status } = object;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !isObject(metadata)) return undefined;
  const form: JsonObject = { kind, apiVersion, metadata: metadataForm(metadata) };
  for (const key of Object.keys(object)) {
    if (placedKeys.has(key)) continue;
    const member = object[key];
    if (member !== undefined) setOwn(form, key, member);
  }
  if (status !== undefined) form['status'] = status;
  return isTextual(form, known) ? form : undefined;
}

/** Those that stand elsewhere than the others. */
const placedKeys: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'status']);

function metadataForm(metadata: JsonObject): JsonObject {
  const { ordered: form, others, managedFields } = metadataParts(metadata);
  for (const key of Object.keys(others)) setOwn(form, key, others[key] as JsonValue);
  if (managedFields !== undefined) form['managedFields'] = managedFields;
  return form;
}

/** True when text says of the value all that there is to say. */
function isTextual(value: JsonValue | undefined, known: JsonValue | undefined): boolean {
  if (typeof value === 'number') return isPlainNumber(value);
  if (typeof value !== 'object') return value !== undefined;
  if (value === null || value === known) return true;
  if (Array.isArray(value)) return areTextual(value, Array.isArray(known) ? known : []);
  return isObject(value) && isTextualObject(value, isObject(known) ? known : {});
}

function areTextual(list: readonly (JsonValue | undefined)[], known: readonly JsonValue[]): boolean {
  for (let i = 0; i < list.length; i += 1) if (!isTextual(list[i], known[i])) return false;
  return true;
}

function isTextualObject(value: JsonObject, known: JsonObject): boolean {
  for (const key of Object.keys(value)) if (!isTextual(value[key], known[key])) return false;
  return true;
}

/** Integers that a float cannot hold exactly are read as raw numbers; text knows no -0 and nothing infinite. */
function isPlainNumber(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && !Object.is(value, -0);
  return Number.isFinite(value);
}
