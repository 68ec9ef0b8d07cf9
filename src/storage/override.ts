/** An etcd cluster with some of the collections, and whether it can be used at the moment. */
import type { EtcdStorage } from './storage.ts';
import { StorageError } from './types.ts';

/** How long calls wait for a cluster that has gone away; later ones fail at once. */
const patienceMs = 1_000;

/**
 * A cluster that is away must not hold up requests for resources of others: calls that wait for their deadline would
 * take the seats of all. So they fail at once, until the view follows the cluster again, which takes seconds at most.
 */
export class Override {
  readonly storage: EtcdStorage;
  #isLoaded = false;

  constructor(storage: EtcdStorage) {
    this.storage = storage;
    storage.ready().then(
      () => {
        this.#isLoaded = true;
      },
      () => undefined,
    );
  }

  /**
   * For what the view answers. It is not empty but unknown before it is loaded, and policy must not take its objects for
   * absent.
   * @throws StorageError `unavailable`
   */
  loaded(): EtcdStorage {
    if (!this.#isLoaded)
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
