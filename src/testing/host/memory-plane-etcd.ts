/** The engine `memory`: a model of etcd in this thread. */
import type { Environment } from '../../base/environment.ts';
import {
  MemoryEtcd,
  type EtcdSnapshot,
  type KeptKey,
  type KeyDifference,
} from '../../memory-etcd/memory-etcd.ts';
import { isControllersLease, rangeOfLeases } from './object-keys.ts';
import type { EtcdState, IncludesKey, PlaneEtcd, WholeState } from './plane-etcd.ts';

/** It takes objects of any size that the service takes. */
const maxRequestBytes = 16 * 1024 * 1024;

/** For fewer the history is kept, with all that a watch is told of it. */
const manyChanges = 1_000;

export class MemoryPlaneEtcd implements PlaneEtcd {
  readonly access = { endpoints: ['http://memory:2379'] };
  readonly prefix = undefined;
  readonly forksHaveItsRevisions = true;
  readonly #etcd: MemoryEtcd;
  /** Where keys were brought back to a state: at which revision, and which keys. */
  readonly #rewound = new WeakMap<EtcdState, { readonly at: number; readonly includes: IncludesKey }>();

  /** @param state what it goes on from; absent: nothing */
  constructor(environment: Environment, state?: EtcdState) {
    this.#etcd = new MemoryEtcd({ ...environment, maxRequestBytes }, state as EtcdSnapshot | undefined);
  }

  get connectLine(): MemoryEtcd['connectLine'] {
    return this.#etcd.connectLine;
  }

  get activity(): number {
    return this.#etcd.activity;
  }

  /** It takes no time that depends on the number of keys. */
  snapshot(): Promise<EtcdState> {
    return Promise.resolve(this.#etcd.snapshot());
  }

  keysOf(state: EtcdState): Promise<readonly KeptKey[]> {
    return Promise.resolve(this.#etcd.keysOf(state as EtcdSnapshot));
  }

  differencesFrom(state: EtcdState, includes: IncludesKey): Promise<Iterable<KeyDifference>> {
    return Promise.resolve(this.#etcd.differencesFrom(state as EtcdSnapshot, includes));
  }

  /**
   * In one revision. It takes time for what has changed since, or since the last time with the same `includes`; for much, no more
   * than for what there was.
   */
  rewind(state: EtcdState, includes: IncludesKey, whole?: WholeState): Promise<number> {
    const snapshot = state as EtcdSnapshot;
    const last = this.#rewound.get(state);
    const equalAt = last?.includes === includes ? last.at : undefined;
    const isMuch = this.#etcd.changesSince(equalAt ?? snapshot.revision) > manyChanges;
    const changed =
      isMuch && whole?.known.revision === snapshot.revision
        ? this.#etcd.takeOver(snapshot, whole.others, whole.known)
        : this.#etcd.rewind(snapshot, includes, equalAt);
    this.#rewound.set(state, { at: this.#etcd.revision, includes });
    return Promise.resolve(changed);
  }

  /** In one revision. */
  replace(keys: readonly KeptKey[], includes: IncludesKey): Promise<number> {
    return Promise.resolve(this.#etcd.replace(keys, includes));
  }

  /** Both share the keys until one writes; leases of etcd go on in both. */
  fork(state: EtcdState | undefined, environment: Environment, prefix: string): Promise<PlaneEtcd> {
    const fork = new MemoryPlaneEtcd(environment, state ?? this.#etcd.snapshot());
    fork.#etcd.remove(rangeOfLeases(prefix), isControllersLease(prefix));
    return Promise.resolve(fork);
  }

  close(): Promise<void> {
    this.#etcd.close();
    return Promise.resolve();
  }
}
