/** Another client of the storage, which writes between the read and the write of those that are tested. */
import type { RequestInfo } from '../../../meta/request-info.ts';
import type { Replica } from '../../../server/build-replica.ts';
import { announcedGroup, StorageError, type Storage } from '../../../storage/types.ts';

/** No object: neither clients nor resets see it. */
const mark = { collection: `${announcedGroup}/faults`, key: 'now' };
const mostTries = 5;

/** Writes an object again as it is: its version grows, and watches get an event. False if there is none. */
export async function touch(
  { customResources, storage }: Pick<Replica, 'customResources' | 'storage'>,
  { apiGroup, apiVersion, resource, namespace, name }: RequestInfo,
): Promise<boolean> {
  const served = customResources.catalogue.current().resource(apiGroup, apiVersion, resource);
  if (served === undefined || served.definition.virtual === true) return false;
  const { collection } = served.storage;
  const key = served.namespaced ? `${namespace}/${name}` : name;
  const { signal } = new AbortController();
  for (let tries = 0; tries < mostTries; tries += 1) {
    const entry = await storage.get(collection, key, { kind: 'mostRecent' }, signal);
    if (entry === undefined) return false;
    const isDone = await storage.update(collection, key, entry.bytes, entry.modRevision).then(
      () => true,
      (error: unknown) => {
        if (error instanceof StorageError && error.code === 'conflict') return false;
        throw error;
      },
    );
    if (isDone) return true;
  }
  return false;
}

/** Commits a mark and removes it. @returns the revision of that */
export async function moveOn(storage: Pick<Storage, 'create' | 'delete'>): Promise<number> {
  const { collection, key } = mark;
  const { revision } = await storage.create(collection, key, Buffer.from('{}'));
  return (await storage.delete(collection, key, revision)).revision;
}
