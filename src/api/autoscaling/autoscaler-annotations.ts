/** What v1 has no fields for travels in annotations, as JSON in the words that readers of v1 know. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';

export type CarriedField = 'metrics' | 'current-metrics' | 'conditions' | 'behavior';

export function annotationOf(name: CarriedField, naming: NamingProfile): string {
  return `autoscaling.alpha.${naming.labelDomain}/${name}`;
}

function annotationsOf(object: JsonObject): JsonObject {
  const { annotations } = object['metadata'] as JsonObject;
  return isObject(annotations) ? annotations : {};
}

/** What an annotation carries, where it reads as JSON. */
export function fieldFromAnnotation(
  object: JsonObject,
  name: CarriedField,
  naming: NamingProfile,
): JsonValue | undefined {
  const text = getOwn(annotationsOf(object), annotationOf(name, naming));
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Writes an annotation, or removes it when there is nothing to carry. Mutates. */
export function setFieldAnnotation(
  object: JsonObject,
  value: JsonValue | undefined,
  { name, naming }: { readonly name: CarriedField; readonly naming: NamingProfile },
): void {
  const metadata = (object['metadata'] ??= {}) as JsonObject;
  const key = annotationOf(name, naming);
  const { [key]: _before, ...rest } = annotationsOf(object);
  const next = value === undefined ? rest : { ...rest, [key]: JSON.stringify(value) };
  if (Object.keys(next).length > 0) metadata['annotations'] = next;
  else delete metadata['annotations'];
}

/** Makes annotations carry what those of another object do: what a write may not change stays. Mutates `next`. */
export function keepAnnotations(
  next: ApiObject,
  names: readonly CarriedField[],
  { current, naming }: { readonly current: ApiObject | undefined; readonly naming: NamingProfile },
): void {
  const { annotations } = next.metadata;
  const kept: Record<string, string> = { ...annotations };
  for (const key of names.map((name) => annotationOf(name, naming))) {
    const value = current?.metadata.annotations?.[key];
    if (value === undefined) Reflect.deleteProperty(kept, key);
    else kept[key] = value;
  }
  if (Object.keys(kept).length > 0) next.metadata.annotations = kept;
  else delete next.metadata.annotations;
}

/** Parts of the spec, and of the status. */
export const annotatedSpec: readonly CarriedField[] = ['metrics', 'behavior'];
export const annotatedStatus: readonly CarriedField[] = ['current-metrics', 'conditions'];

function renameKeys(value: JsonValue, rename: (key: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member != null);
  return Object.fromEntries(
    entries.map(([key, member]) => [rename(key), renameKeys(member ?? null, rename)]),
  );
}

/** Behaviours are carried with capitalised names. */
export function capitalised(value: JsonValue): JsonValue {
  return renameKeys(value, (key) => `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`);
}

export function uncapitalised(value: JsonValue): JsonValue {
  return renameKeys(value, (key) => `${key.slice(0, 1).toLowerCase()}${key.slice(1)}`);
}
