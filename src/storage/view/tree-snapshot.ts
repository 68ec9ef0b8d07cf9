/** An immutable state of a collection. */
import type {
  Attribute,
  CollectionId,
  CollectionSnapshot,
  Entry,
  ObjectKey,
  Revision,
  StorageError,
} from '../types.ts';
import type { AttributeIndexes } from './attribute-indexes.ts';
import type { StateTree } from './state-tree.ts';
import type { UnreadableObjects } from './unreadable-objects.ts';

export interface StateAddress {
  readonly collection: CollectionId;
  readonly revision: Revision;
  /** Objects that are missing because they could not be read; they do not change. */
  readonly unreadable?: UnreadableObjects | undefined;
}

/** An immutable tree as the state at a revision. */
export class TreeSnapshot implements CollectionSnapshot {
  readonly collection: CollectionId;
  readonly revision: Revision;
  #past: string | undefined;
  readonly #unreadable: UnreadableObjects | undefined;
  readonly #tree: StateTree;
  readonly #indexesOf: ((tree: StateTree) => AttributeIndexes | undefined) | undefined;

  /** @param indexesOf returns the indexes of the tree while it is the current state; absent if it never was */
  constructor(
    { collection, revision, unreadable }: StateAddress,
    tree: StateTree,
    indexesOf?: (tree: StateTree) => AttributeIndexes | undefined,
  ) {
    this.collection = collection;
    this.revision = revision;
    this.#unreadable = unreadable;
    this.#tree = tree;
    this.#indexesOf = indexesOf;
  }

  get past(): string | undefined {
    return this.#past;
  }

  /** Says to which past of etcd it belongs: always the same one, for a view of another past has other snapshots. */
  inPast(past: string | undefined): this {
    this.#past = past;
    return this;
  }

  get size(): number {
    return this.#tree.size;
  }

  get contents(): object {
    return this.#tree;
  }

  get(key: ObjectKey): Entry | undefined {
    return this.#tree.get(key);
  }

  /** The object in this state. @throws StorageError `unreadable` */
  readable(key: ObjectKey): Entry | undefined {
    const entry = this.#tree.get(key);
    if (entry === undefined) this.#unreadable?.assertReadable(key);
    return entry;
  }

  unreadableIn(prefix: string): StorageError | undefined {
    return this.#unreadable?.errorOf(prefix);
  }

  entries(prefix: string, after: ObjectKey): Iterable<Entry> {
    return this.#tree.range(this.#startOf(prefix, after), this.#endOf(prefix));
  }

  page(prefix: string, after: ObjectKey, limit: number): readonly Entry[] {
    const from = this.#startOf(prefix, after);
    return Array.from(this.#tree.range(from, Math.min(from + limit, this.#endOf(prefix))));
  }

  count(prefix: string, after: ObjectKey): number {
    return Math.max(0, this.#endOf(prefix) - this.#startOf(prefix, after));
  }

  having(attribute: Attribute, values: ReadonlySet<string>): readonly ObjectKey[] | undefined {
    return this.#indexesOf?.(this.#tree)?.having(attribute, values);
  }

  #startOf(prefix: string, after: ObjectKey): number {
    return this.#tree.positionOf(firstKey(prefix, after));
  }

  #endOf(prefix: string): number {
    return prefix === '' ? this.#tree.size : this.#tree.positionOf(`${prefix}\uffff`);
  }
}

/** Lower bound of keys that start with `prefix` and are greater than `after`. */
function firstKey(prefix: string, after: ObjectKey): ObjectKey {
  if (after === '') return prefix;
  const next = `${after}\0`;
  return next > prefix ? next : prefix;
}
