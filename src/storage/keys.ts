/** The key layout in etcd: `<prefix>/<collection>/<object key>`, where a collection has two segments. */
import type { CollectionId, ObjectKey } from './types.ts';

/** A half-open range of keys. */
export interface KeyRange {
  readonly key: Buffer;
  readonly range_end: Buffer;
}

export interface ObjectAddress {
  readonly collection: CollectionId;
  /** '' for the fence key of the collection, which is not an object. */
  readonly key: ObjectKey;
}

interface KnownCollection {
  readonly collection: CollectionId;
  /** What its keys begin with, up to and with the slash. */
  readonly start: Buffer;
}

/** Collections whose names are kept; custom resources come and go. */
const mostKnown = 10_000;

/**
 * Builds and parses keys. Internal keys have one segment or two (`~fence`, `~fence-spare/0`), and the fence of a collection is its empty
 * object key. Neither can be mistaken for an object, but writes to them are events below the prefix.
 */
export class KeySpace {
  /** With a trailing slash. */
  readonly #root: string;
  /** Objects share the name of their collection; slices of each key would keep all of it in memory, twice. */
  readonly #known = new Map<CollectionId, KnownCollection>();
  #last: KnownCollection = { collection: '', start: Buffer.alloc(0) };

  constructor(prefix: string) {
    this.#root = `/${prefix.split('/').filter(Boolean).join('/')}/`.replace('//', '/');
  }

  /** All keys of the service. */
  everything(): KeyRange {
    return rangeOf(this.#root);
  }

  /** @param within only object keys with this prefix, which is '' or ends with a slash */
  collection(collection: CollectionId, within = ''): KeyRange {
    return rangeOf(`${this.#root}${collection}/${within}`);
  }

  object(collection: CollectionId, key: ObjectKey): Buffer {
    return Buffer.from(`${this.#root}${collection}/${key}`);
  }

  /** Written to check that the follower's stream is alive; read as the quorum probe. */
  fence(): Buffer {
    return Buffer.from(`${this.#root}~fence`);
  }

  /** Removed in place of a put of the fence while etcd is full. */
  fenceSpare(number: number): Buffer {
    return Buffer.from(`${this.#root}~fence-spare/${number}`);
  }

  fenceSpares(): KeyRange {
    return rangeOf(`${this.#root}~fence-spare/`);
  }

  /** The fence for a watch on one collection. */
  collectionFence(collection: CollectionId): Buffer {
    return this.object(collection, '');
  }

  /** Names the past that etcd has, see `past-name.ts`. */
  pastName(): Buffer {
    return Buffer.from(`${this.#root}~past`);
  }

  /** Coordinates compaction between replicas. */
  compaction(): Buffer {
    return Buffer.from(`${this.#root}~compaction`);
  }

  /** Written if the outcome of a creation is unknown: creations sent before can no longer take effect. */
  creationFence(): Buffer {
    return Buffer.from(`${this.#root}~creation-fence`);
  }

  /** Every deletion writes its mark here, in the same transaction. */
  lastRemoval(): Buffer {
    return Buffer.from(`${this.#root}~last-removal`);
  }

  /** Parses a key; undefined if it is not the key of an object. */
  parse(bytes: Buffer): ObjectAddress | undefined {
    if (!isWithin(bytes, this.#last)) {
      const found = this.#collectionOf(bytes);
      if (found === undefined) return undefined;
      this.#last = found;
    }
    const { collection, start } = this.#last;
    return { collection, key: bytes.toString('utf8', start.length) };
  }

  #collectionOf(bytes: Buffer): KnownCollection | undefined {
    const text = bytes.toString();
    if (!text.startsWith(this.#root)) return undefined;
    const first = text.indexOf('/', this.#root.length);
    const second = first < 0 ? -1 : text.indexOf('/', first + 1);
    if (second < 0) return undefined;
    const collection = text.slice(this.#root.length, second);
    const known = this.#known.get(collection);
    if (known !== undefined) return known;
    if (this.#known.size >= mostKnown) this.#known.clear();
    const made = { collection, start: Buffer.from(text.slice(0, second + 1)) };
    this.#known.set(collection, made);
    return made;
  }
}

function isWithin(key: Buffer, { start }: KnownCollection): boolean {
  const { length } = start;
  return length > 0 && key.length >= length && key.compare(start, 0, length, 0, length) === 0;
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
