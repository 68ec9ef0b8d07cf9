/** Objects that the service maintains itself, each a function of what is there. */
import { apiVersionOf } from '../../meta/gvk.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ApiObject } from '../../meta/object.ts';
import { isLostRace } from '../../meta/lost-race.ts';
import { objectKey } from '../../registry/scope-keys.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import { readObject } from '../../registry/object-memo.ts';
import type { WritesElsewhere } from '../../registry/writes-elsewhere.ts';
import { deletionOf, ownScope } from '../../registry/write/own-writes.ts';
import type { Storage } from '../../storage/types.ts';

export interface MaintenanceDeps {
  readonly storage: Pick<Storage, 'peek'>;
  readonly catalogue: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
  /** Replaces what users have made large; absent: all is written here. */
  readonly writesElsewhere?: WritesElsewhere | undefined;
}

export interface MaintainedObject {
  /** Group (placeholders expanded), and plural. */
  readonly group: string;
  /** The versions to write it in, the best first; absent: v1. */
  readonly versions?: readonly string[];
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  /** The object as it should be; undefined if nothing is to be changed. Must not mutate its argument. */
  readonly next: (current: ApiObject | undefined) => JsonObject | undefined;
  /** Whether the object must be created anew, because of a field that cannot be changed. Absent: never. */
  readonly isOutdated?: (current: ApiObject) => boolean;
}

/**
 * Creates or replaces the object if it differs. Does nothing if its kind is not served. Replicas may run this
 * concurrently.
 * @throws StatusError of the write
 */
export async function maintain(
  { storage, catalogue, verbs, writesElsewhere }: MaintenanceDeps,
  { group, versions = ['v1'], plural, namespace, name, next, isOutdated = () => false }: MaintainedObject,
  signal: AbortSignal,
): Promise<void> {
  const version = versions.find((one) => catalogue.resource(group, one, plural) !== undefined);
  const resource = version === undefined ? undefined : catalogue.resource(group, version, plural);
  if (!resource) return;
  const scope = ownScope({ resource, namespace, signal });
  const entry = storage.peek(resource.storage.collection, objectKey(scope, name));
  const current = entry && (await readObject(entry));
  const isRemoved = current !== undefined && isOutdated(current);
  const wanted = next(isRemoved ? undefined : current);
  if (!wanted) return;
  const body = { ...wanted, kind: resource.gvk.kind, apiVersion: apiVersionOf(resource.gvk) };
  const replace = (): Promise<unknown> =>
    writesElsewhere?.write(scope, name, { operation: 'replace', object: body }) ??
    verbs.replace(scope, name, body);
  try {
    if (isRemoved) await verbs.delete(scope, name, deletionOf(current.metadata.uid ?? ''));
    await (current && !isRemoved ? replace() : verbs.create(scope, '', body));
  } catch (error) {
    // Another replica, or a user, was first; the next round sees what they wrote.
    if (!isLostRace(error)) throw error;
  }
}
