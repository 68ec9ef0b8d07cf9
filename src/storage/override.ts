/** An etcd cluster with some of the collections, and whether it can be used at the moment. */
import type { EtcdStorage } from './storage.ts';
import { StorageError, type CollectionId } from './types.ts';

/** A storage of some collections. */
export interface StorageOverride {
  readonly collections: readonly CollectionId[];
  readonly storage: EtcdStorage;
  /** Serving begins without it, as only requests for its own objects need them: no policy is among them. */
  readonly isOptional: boolean;
}

/** How long calls wait for a cluster that has gone away; later ones fail at once. */
const patienceMs = 1_000;

/**
 * A cluster that is away must not hold up requests for resources of others: calls that wait for their deadline would
 * take the seats of all. So they fail at once, until the view follows the cluster again, which takes seconds at most.
 */
export class Override {
  readonly storage: EtcdStorage;
  /** Whether the view may be read: always, if nothing is served before it is loaded. */
  #isReadable: boolean;

  constructor({ storage, isOptional }: StorageOverride) {
    this.storage = storage;
    this.#isReadable = !isOptional;
    storage.ready().then(
      () => {
        this.#isReadable = true;
      },
      () => undefined,
    );
  }

  /** For what the view answers: before it is loaded it is not empty but unknown. @throws StorageError `unavailable` */
  loaded(): EtcdStorage {
    if (!this.#isReadable)
      throw new StorageError('unavailable', 'the etcd cluster of the resource is not loaded');
    return this.storage;
  }

  /** For what etcd answers. @throws StorageError `unavailable` */
  reachable(): EtcdStorage {
    const storage = this.loaded();
    if (storage.awayMs() <= patienceMs) return storage;
    throw new StorageError('unavailable', 'the etcd cluster of the resource is away');
  }
}
