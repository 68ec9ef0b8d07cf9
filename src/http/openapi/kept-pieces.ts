/**
 * An LRU cache of encoded pieces of documents, bounded in bytes. When one custom resource changes, its piece is encoded again
 * and the others are found here; with thousands of them evicted pieces are encoded again for each document.
 */
import { LRUCache } from 'lru-cache';

export interface EncodedPiece {
  /** All its paths; empty if there are none. */
  readonly paths: Buffer;
  /** Definitions of custom resources, by name. */
  readonly definitions: ReadonlyMap<string, Buffer>;
  /** Types of the catalogue that it refers to. */
  readonly roots: readonly string[];
}

/** Bytes of the pieces that are kept: those of about a thousand custom resources of middle size. */
const maxKeptBytes = 64 * 1024 * 1024;

export class KeptPieces {
  readonly #kept: LRUCache<object, EncodedPiece>;

  constructor(maxBytes = maxKeptBytes) {
    this.#kept = new LRUCache<object, EncodedPiece>({ maxSize: maxBytes, sizeCalculation: bytesOf });
  }

  /** @param key names the piece and its encoding by identity */
  get(key: object): EncodedPiece | undefined {
    return this.#kept.get(key);
  }

  keep(key: object, piece: EncodedPiece): void {
    this.#kept.set(key, piece);
  }
}

function bytesOf({ paths, definitions }: EncodedPiece): number {
  let bytes = paths.length + 1;
  for (const definition of definitions.values()) bytes += definition.length;
  return bytes;
}
