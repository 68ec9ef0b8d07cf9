/** The order of the members of metadata: that of their type, which JSON of the reference has. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { setOwn } from '../base/json.ts';

const beforeVersion = ['name', 'generateName', 'namespace', 'uid'] as const;
const beforeLabels = [
  ...['generation', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'],
] as const;
const inOrder = [
  ...beforeVersion,
  ...beforeLabels,
  ...['labels', 'annotations', 'ownerReferences', 'finalizers', 'clusterName'],
];

const passedToVersion: ReadonlySet<string> = new Set(beforeVersion);
/** Items of lists have the version, too. */
const passedToLabels: ReadonlySet<string> = new Set([...beforeVersion, 'resourceVersion', ...beforeLabels]);
/** The last one, and those that are not stored. */
const apart: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion', 'selfLink']);

/** Whether a member stands before `resourceVersion`. */
export function isBeforeVersion(name: string): boolean {
  return passedToVersion.has(name);
}

/** Whether a member stands before `labels`; none of them is large. */
export function isBeforeLabels(name: string): boolean {
  return passedToLabels.has(name);
}

export interface MetadataParts {
  /** The members that have a place, in order. */
  readonly ordered: JsonObject;
  /** Members that the type does not know, or not so. */
  readonly others: JsonObject;
  readonly managedFields: JsonValue | undefined;
}

/** The members of metadata in the order in which they are stored, those of `ordered` first; without those that are not. */
export function metadataParts(metadata: JsonObject): MetadataParts {
  const ordered: JsonObject = {};
  for (const name of inOrder) {
    const value = metadata[name];
    if (value !== undefined && (!isBeforeLabels(name) || isScalar(value))) ordered[name] = value;
  }
  const others: JsonObject = {};
  for (const name of Object.keys(metadata)) {
    const value = metadata[name];
    if (value !== undefined && !apart.has(name) && !Object.hasOwn(ordered, name)) setOwn(others, name, value);
  }
  return { ordered, others, managedFields: metadata['managedFields'] };
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null || JSON.isRawJSON(value);
}
