/** The state of a control plane, key by key. */

/** A key of etcd that belongs to the state, below the prefix, with its value. Both have a character for each byte. */
export interface StateEntry {
  readonly key: string;
  readonly value: string;
  /** In how many milliseconds it expires; absent if it does not. */
  readonly leftMs?: number | undefined;
}

/** As in `StateEntry`; undefined where it did not or does not exist. */
export interface StateDifference {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}
