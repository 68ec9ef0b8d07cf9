/**
 * Field sets as JSON (`fieldsV1` of a managed fields entry): objects keyed by steps. `{}` below a step says that it
 * is a member; where more is below a member, the key `.` says so.
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject, setOwn } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import { PatchError } from '../patch-error.ts';
import type { FieldSet } from './field-set.ts';
import { FieldSetBuilder } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { canonicalElement } from './path-element.ts';
import { self } from './fields-step.ts';

/** The JSON form of a set, steps in their order. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  return encodeInto({}, set);
}

/** Every object is filled where it stands: sets of many thousand paths are written at every create. */
function encodeInto(fields: JsonObject, set: FieldSet): JsonObject {
  for (const element of set.elements()) {
    const child = set.children.get(element);
    const below: JsonObject = child && set.members.has(element) ? { [self]: {} } : {};
    setOwn(fields, element, child ? encodeInto(below, child) : below);
  }
  return fields;
}

/**
 * Reads the JSON form of a set.
 * @throws PatchError `malformed` when a key is no step, or what is below it is no object
 */
export function decodeFieldsV1(fields: JsonValue): FieldSet {
  const builder = new FieldSetBuilder();
  decodeInto(builder, fields, canonicalElement);
  return builder.build();
}

/** The same for what `encodeFieldsV1` wrote, whose steps are canonical already. */
export function decodeCanonicalFieldsV1(fields: JsonValue): FieldSet {
  const builder = new FieldSetBuilder();
  decodeInto(builder, fields, asItIs);
  return builder.build();
}

type ReadElement = (text: string) => PathElement | undefined;

const asItIs: ReadElement = (text) => text;

function decodeInto(builder: FieldSetBuilder, fields: JsonValue, read: ReadElement): void {
  if (!isObject(fields)) throw new PatchError('malformed', 'fieldsV1 must hold objects only');
  for (const [text, below] of Object.entries(fields)) {
    if (text === self || below === undefined) continue;
    const element = read(text);
    if (element === undefined)
      throw new PatchError('malformed', `fieldsV1: ${quoted(text)} is no path element`);
    if (!isObject(below)) throw new PatchError('malformed', 'fieldsV1 must hold objects only');
    const keys = Object.keys(below);
    if (keys.length === 0 || Object.hasOwn(below, self)) builder.addMember(element);
    if (keys.length > 0) decodeInto(builder.child(element), below, read);
  }
}
