/** The fields in which two objects differ. */
import { isDeepStrictEqual } from 'node:util';

/** A field that differs: the smallest one that can be named. */
export interface FieldChange {
  /** `spec.containers[0].image`; names with other characters stand in brackets. */
  readonly path: string;
  /** undefined: it is absent. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Managers of fields change with the fields. */
const ignored: ReadonlySet<string> = new Set(['metadata.managedFields', 'metadata.resourceVersion']);
const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** In the order of the fields, those of `before` first. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  return [...walk('', before, after)];
}

function* walk(path: string, before: unknown, after: unknown): Generator<FieldChange, void> {
  if (ignored.has(path) || isDeepStrictEqual(before, after)) return;
  const [was, is] = [membersOf(before), membersOf(after)];
  // An empty one has no member to name.
  const isNamed = was !== undefined && is !== undefined && Array.isArray(before) === Array.isArray(after);
  if (!isNamed) {
    yield { path, before, after };
    return;
  }
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const step = Array.isArray(before) ? `[${name}]` : stepOf(path, name);
    yield* walk(path + step, was.get(name), is.get(name));
  }
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

function stepOf(path: string, name: string): string {
  if (!plainName.test(name)) return `[${JSON.stringify(name)}]`;
  return path === '' ? name : `.${name}`;
}
