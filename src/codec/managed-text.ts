/**
 * The text of `managedFields`, half of what is stored of an object, and nearly always what it was: who writes sets the
 * same fields as before. A field set that is kept from write to write, as the very same object, keeps its text with it.
 * (Where objects are parsed for each write there is nothing to be kept, and a table of texts costs a replace 5 %.)
 */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { isObject } from '../base/json.ts';

/** Texts of field sets, which nobody changes once they are made. */
const texts = new WeakMap<JsonObject, string>();

/** As `JSON.stringify` gives it: of a pod of 5 KB it takes 4 µs instead of 12 where the sets were written before. */
export function managedFieldsText(entries: JsonValue): string {
  if (!Array.isArray(entries)) return JSON.stringify(entries);
  let text = '';
  for (const entry of entries) text += `${text === '' ? '' : ','}${entryText(entry)}`;
  return `[${text}]`;
}

function entryText(entry: JsonValue | undefined): string {
  if (!isObject(entry)) return JSON.stringify(entry ?? null);
  let text = '';
  for (const name of Object.keys(entry)) {
    const value = entry[name];
    if (value === undefined) continue;
    const isSet = name === 'fieldsV1' && isObject(value);
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${isSet ? fieldsText(value) : JSON.stringify(value)}`;
  }
  return `{${text}}`;
}

function fieldsText(fields: JsonObject): string {
  let text = texts.get(fields);
  if (text === undefined) {
    text = JSON.stringify(fields);
    texts.set(fields, text);
  }
  return text;
}
