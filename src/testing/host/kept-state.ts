/** The state of a control plane as entries that can leave the thread, and come back to the same or another one. */
import type { EtcdSnapshot, MemoryEtcd } from '../../memory-etcd/memory-etcd.ts';
import { isObjectKey, rootOf } from './object-keys.ts';
import type { StateDifference, StateEntry } from '../state/state-entry.ts';

export class KeptState {
  readonly #etcd: MemoryEtcd;
  readonly #root: string;
  readonly #includes: (key: string) => boolean;

  /** @param prefix of the keys of the service */
  constructor(etcd: MemoryEtcd, prefix: string) {
    this.#etcd = etcd;
    this.#root = rootOf(prefix);
    this.#includes = isObjectKey(prefix);
  }

  /** In the order of the keys. */
  entries(snapshot: EtcdSnapshot): StateEntry[] {
    const entries: StateEntry[] = [];
    for (const { key, value, leftMs } of this.#etcd.keysOf(snapshot)) {
      const text = key.toString('latin1');
      if (!this.#includes(text)) continue;
      entries.push({
        key: text.slice(this.#root.length),
        value: value.toString('latin1'),
        ...(leftMs !== undefined && { leftMs }),
      });
    }
    return entries;
  }

  /** Makes the state that of the entries, in one revision. @returns how many keys changed */
  replace(entries: readonly StateEntry[]): number {
    const keys = entries.map(({ key, value, leftMs }) => ({
      key: Buffer.from(this.#root + key, 'latin1'),
      value: Buffer.from(value, 'latin1'),
      leftMs,
    }));
    return this.#etcd.replace(keys, this.#includes);
  }

  /** In the order of the keys. */
  differences(since: EtcdSnapshot): StateDifference[] {
    return [...this.#etcd.differencesFrom(since, this.#includes)]
      .map(({ key, before, after }) => ({
        key: key.toString('latin1').slice(this.#root.length),
        before: before?.toString('latin1'),
        after: after?.toString('latin1'),
      }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}
