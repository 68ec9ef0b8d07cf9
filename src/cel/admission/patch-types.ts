/** What expressions of mutating policies make: `Object{spec: Object.spec{…}}` and `JSONPatch{op: 'add', …}`. */
import { dynType, listOf, stringType, type CelType } from '../language/types.ts';
import type { StructTypes } from '../check/environment.ts';

type ObjectType = Extract<CelType, { kind: 'object' }>;

const rootName = 'Object';

/** Any field of an object may be set: which there are is said by the schema of what is changed. */
function objectNamed(name: string): ObjectType {
  return { kind: 'object', name, fields: { fieldType: () => dynType } };
}

/** A part of the object that is written, whose fields are all that the expression wants to set. */
export const objectType = objectNamed(rootName);

const patchFields: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ...['op', 'path', 'from'].map((name) => [name, stringType] as const),
  ['value', dynType] as const,
]);

/** One operation of a JSON patch (RFC 6902). */
export const jsonPatchType: ObjectType = {
  ...{ kind: 'object', name: 'JSONPatch', fields: { fieldType: (name) => patchFields.get(name) } },
};

/** What the expression of a mutation evaluates to, by its patch type. */
export const mutationTypes: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['ApplyConfiguration', objectType],
  ['JSONPatch', listOf(jsonPatchType)],
]);

export const patchStructs: StructTypes = (name) => {
  if (name === jsonPatchType.name) return jsonPatchType;
  if (name === rootName) return objectType;
  return name.startsWith(`${rootName}.`) ? objectNamed(name) : undefined;
};
