/** Declarations of objects that no schema describes: what the API itself hands to expressions. */
import {
  boolType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  timestampType,
  type CelType,
} from '../language/types.ts';
import type { Declaration, ListDeclaration, MapDeclaration, ObjectDeclaration } from './declaration.ts';

const sizes = { most: 0, leastBytes: 0 };

export const text: Declaration = { kind: 'string', type: stringType, ...sizes };
export const flag: Declaration = { kind: 'bool', type: boolType, ...sizes };
export const whole: Declaration = { kind: 'int', type: intType, ...sizes };
export const time: Declaration = { kind: 'timestamp', type: timestampType, ...sizes };
export const anything: Declaration = { kind: 'dyn', type: dynType, ...sizes };

export function list(item: Declaration): ListDeclaration {
  return { kind: 'list', type: listOf(item.type), item, listType: 'atomic', keys: [], ...sizes };
}

/** A map with keys of text. */
export function map(value: Declaration): MapDeclaration {
  return { kind: 'map', type: mapOf(stringType, value.type), value, ...sizes };
}

/** Fields are named as JSON spells them, as the reference declares them. */
export function object(name: string, members: Readonly<Record<string, Declaration>>): ObjectDeclaration {
  const fields = new Map(
    Object.entries(members).map(([field, declaration]) => [field, { name: field, declaration }]),
  );
  const type: CelType = {
    kind: 'object',
    name,
    fields: { fieldType: (field) => fields.get(field)?.declaration.type },
  };
  return { kind: 'object', type, fields, ...sizes };
}

/** A user as the API's own types have it. */
export const userDeclaration = object('kubernetes.UserInfo', {
  ...{ username: text, uid: text, groups: list(text), extra: map(list(text)) },
});
