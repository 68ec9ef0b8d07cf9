/** A definition that is deleted: its objects go first, then the finalizer that held it. */
import { cleanupFinalizer } from '../../api/apiextensions/conditions.ts';
import type { JsonObject } from '../../base/json.ts';
import { asApiObject } from '../../meta/object.ts';
import type { RequestScope, ResourceVerbs, ServedResource } from '../../registry/types.ts';

export interface CleanupParts {
  readonly verbs: ResourceVerbs;
  readonly scopeOf: (resource: ServedResource) => RequestScope;
}

const everything = {
  ...{ labelSelector: '', fieldSelector: '', resourceVersion: '', resourceVersionMatch: '', continue: '' },
  limit: 0,
};
const inBackground = {
  gracePeriodSeconds: undefined,
  orphanDependents: undefined,
  propagationPolicy: 'Background',
  preconditions: undefined,
} as const;

/** Asks for deletion of all objects. True when none is left: finalizers of theirs may take time. */
export async function removeObjects(
  { verbs, scopeOf }: CleanupParts,
  stored: ServedResource,
): Promise<boolean> {
  const scope = scopeOf(stored);
  await verbs.deleteCollection(scope, everything, inBackground);
  const { entries } = await verbs.list(scope, { ...everything, limit: 1 });
  return entries.length === 0;
}

/** Lets the definition go. */
export async function release(
  { verbs, scopeOf, definitions }: CleanupParts & { readonly definitions: ServedResource },
  name: string,
): Promise<void> {
  const finalizer = cleanupFinalizer(definitions.naming);
  await verbs.patch(scopeOf(definitions), name, (current): JsonObject => {
    const { metadata } = asApiObject(current);
    const finalizers = (metadata.finalizers ?? []).filter((held) => held !== finalizer);
    return { ...current, metadata: { ...(current['metadata'] as JsonObject), finalizers } };
  });
}
