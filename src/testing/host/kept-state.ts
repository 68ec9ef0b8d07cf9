/** The state of a control plane as entries that can leave the thread, and come back to the same or another one. */
import { isObjectKey, rootOf } from './object-keys.ts';
import type { EtcdState, PlaneEtcd } from './plane-etcd.ts';
import type { StateDifference, StateEntry } from '../state/state-entry.ts';

export class KeptState {
  readonly #etcd: PlaneEtcd;
  readonly #root: string;
  readonly #includes: (key: string) => boolean;

  /** @param prefix of the keys of the service */
  constructor(etcd: PlaneEtcd, prefix: string) {
    this.#etcd = etcd;
    this.#root = rootOf(prefix);
    this.#includes = isObjectKey(prefix);
  }

  /** In the order of the keys. */
  async entries(state: EtcdState): Promise<StateEntry[]> {
    const entries: StateEntry[] = [];
    for (const { key, value, leftMs } of await this.#etcd.keysOf(state)) {
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

  /** Makes the state that of the entries. @returns how many keys changed */
  replace(entries: readonly StateEntry[]): Promise<number> {
    const keys = entries.map(({ key, value, leftMs }) => ({
      key: Buffer.from(this.#root + key, 'latin1'),
      value: Buffer.from(value, 'latin1'),
      leftMs,
    }));
    return this.#etcd.replace(keys, this.#includes);
  }

  /** In the order of the keys. */
  async differences(since: EtcdState): Promise<StateDifference[]> {
    return [...(await this.#etcd.differencesFrom(since, this.#includes))]
      .map(({ key, before, after }) => ({
        key: key.toString('latin1').slice(this.#root.length),
        before: before?.toString('latin1'),
        after: after?.toString('latin1'),
      }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}
