/** Metadata as another server sends them: controllers rely on their types, and keep them in memory. */
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';

const texts = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
] as const;
const ownerTexts = ['apiVersion', 'kind', 'name', 'uid'] as const;
const ownerFlags = ['controller', 'blockOwnerDeletion'] as const;

/** The fields that have the type that they should have; without who manages fields. */
export function metadataOf(received: JsonObject): JsonObject {
  const { labels, annotations, finalizers, ownerReferences, deletionGracePeriodSeconds: grace } = received;
  return {
    ...ofType(received, texts, 'string'),
    ...(typeof grace === 'number' && { deletionGracePeriodSeconds: grace }),
    ...(isObject(labels) && { labels }),
    ...(isObject(annotations) && { annotations }),
    ...(Array.isArray(finalizers) && { finalizers: finalizers.filter((name) => typeof name === 'string') }),
    ...(Array.isArray(ownerReferences) && { ownerReferences: ownerReferences.flatMap(ownerOf) }),
  };
}

/** None for a reference that names nobody. */
function ownerOf(received: JsonValue): JsonObject[] {
  if (!isObject(received)) return [];
  const owner = ofType(received, ownerTexts, 'string');
  if (ownerTexts.some((name) => owner[name] === undefined)) return [];
  return [{ ...owner, ...ofType(received, ownerFlags, 'boolean') }];
}

function ofType(received: JsonObject, names: readonly string[], type: 'string' | 'boolean'): JsonObject {
  const found: JsonObject = {};
  for (const name of names) {
    const value = received[name];
    if (typeof value === type && value !== undefined) found[name] = value;
  }
  return found;
}
