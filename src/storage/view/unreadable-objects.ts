/** The objects of a collection that cannot be read: missing in its states, and not to be taken for deleted. */
import sortedBtree from 'sorted-btree';

import { StorageError, type ObjectKey, type Revision } from '../types.ts';
import type { UnreadableEntry } from './entry-reader.ts';

/** Objects that an error names. */
const named = 5;

export class UnreadableObjects {
  readonly #entries: sortedBtree.default<ObjectKey, UnreadableEntry>;

  constructor(entries = new sortedBtree.default<ObjectKey, UnreadableEntry>()) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A copy that later changes do not affect. O(1). */
  copy(): UnreadableObjects {
    return new UnreadableObjects(this.#entries.clone());
  }

  /** The revision of an unreadable object; 0 if there is none. */
  revisionOf(key: ObjectKey): Revision {
    return this.get(key)?.modRevision ?? 0;
  }

  get(key: ObjectKey): UnreadableEntry | undefined {
    return this.#entries.size > 0 ? this.#entries.get(key) : undefined;
  }

  all(): Iterable<UnreadableEntry> {
    return this.#entries.values();
  }

  set(entry: UnreadableEntry): void {
    this.#entries.set(entry.key, entry);
  }

  delete(key: ObjectKey): void {
    if (this.#entries.size > 0) this.#entries.delete(key);
  }

  /** @throws StorageError `unreadable` */
  assertReadable(key: ObjectKey): void {
    const entry = this.get(key);
    if (entry !== undefined) throw entry.error;
  }

  /** The error of a list of the keys that start with `prefix`; undefined if all of them can be read. */
  errorOf(prefix: string): StorageError | undefined {
    if (this.#entries.size === 0) return undefined;
    const found = [...this.#entries.values()].filter(({ key }) => key.startsWith(prefix));
    const [first] = found;
    if (first === undefined) return undefined;
    if (found.length === 1) return first.error;
    const names = found.slice(0, named).map(({ key }) => key);
    const others = found.length > named ? ` and ${String(found.length - named)} more` : '';
    const message = `stored values of ${first.collection} cannot be read: ${names.join(', ')}${others}; the first: ${first.problem}`;
    return new StorageError('unreadable', message, { key: first.key, revision: first.modRevision });
  }
}
