/** Where things lie in etcd: `<prefix>/<collection>/<object key>`, a collection being two segments. */
import type { CollectionId, ObjectKey } from './types.ts';

/** A half-open range of keys. */
export interface KeyRange {
  readonly key: Buffer;
  readonly range_end: Buffer;
}

export interface ObjectAddress {
  readonly collection: CollectionId;
  /** '' for the collection's own fence key, which is no object. */
  readonly key: ObjectKey;
}

/**
 * Names and reads keys. The service's own keys are single segments (`~fence`), and a collection's fence is its
 * empty object key, so that neither can be taken for an object, yet each write to them is an event that
 * followers of the prefix see.
 */
export class KeySpace {
  /** With the slash at its end. */
  readonly #root: string;

  constructor(prefix: string) {
    this.#root = `/${prefix.split('/').filter(Boolean).join('/')}/`.replace('//', '/');
  }

  /** Everything that the service writes. */
  everything(): KeyRange {
    return rangeOf(this.#root);
  }

  collection(collection: CollectionId): KeyRange {
    return rangeOf(`${this.#root}${collection}/`);
  }

  object(collection: CollectionId, key: ObjectKey): Buffer {
    return Buffer.from(`${this.#root}${collection}/${key}`);
  }

  /** A write to it proves that the follower's stream lives; its range is the quorum probe. */
  fence(): Buffer {
    return Buffer.from(`${this.#root}~fence`);
  }

  /** The same for a watch on one collection. */
  collectionFence(collection: CollectionId): Buffer {
    return this.object(collection, '');
  }

  /** On which replicas agree who compacts. */
  compaction(): Buffer {
    return Buffer.from(`${this.#root}~compaction`);
  }

  /** Written where the outcome of a creation is unknown: creations sent before that can no longer take effect. */
  creationFence(): Buffer {
    return Buffer.from(`${this.#root}~creation-fence`);
  }

  /** Every removal writes its mark here, in the same transaction. */
  lastRemoval(): Buffer {
    return Buffer.from(`${this.#root}~last-removal`);
  }

  /** Takes a key apart; undefined when it is none of an object. */
  parse(bytes: Buffer): ObjectAddress | undefined {
    const text = bytes.toString();
    if (!text.startsWith(this.#root)) return undefined;
    const first = text.indexOf('/', this.#root.length);
    const second = first < 0 ? -1 : text.indexOf('/', first + 1);
    if (second < 0) return undefined;
    return { collection: text.slice(this.#root.length, second), key: text.slice(second + 1) };
  }
}

/** The keys that start with `text`, which ends with a slash. */
function rangeOf(text: string): KeyRange {
  const key = Buffer.from(text);
  const end = Buffer.from(key);
  end[end.length - 1] = (end[end.length - 1] ?? 0) + 1;
  return { key, range_end: end };
}

/** The smallest key after `key`. */
export function keyAfter(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.of(0)]);
}
