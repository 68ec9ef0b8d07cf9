/**
 * An LRU cache of encoded pieces of documents, compressed and bounded in bytes. When one custom resource changes, its piece is
 * encoded again and the others are found here; with thousands of them evicted pieces are encoded again for each document.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { ownCopy } from '../../base/own-memory.ts';

export interface EncodedPiece {
  /** All its paths; empty if there are none. */
  readonly paths: Buffer;
  /** Definitions of custom resources, by name. */
  readonly definitions: ReadonlyMap<string, Buffer>;
  /** Types of the catalogue that it refers to. */
  readonly roots: readonly string[];
}

/** Bytes of the pieces that are kept: those of two thousand custom resources of middle size. */
const maxKeptBytes = 16 * 1024 * 1024;
/** Of 75 KB of a piece are left 6, which takes a thirtieth of what encoding it takes. */
const level = { level: 1 };
const pack = promisify<Buffer, { level: number }, Buffer>(deflateRaw);
const unpack = promisify<Buffer, Buffer>(inflateRaw);

export class KeptPieces {
  readonly #kept: LRUCache<object, EncodedPiece>;

  constructor(maxBytes = maxKeptBytes) {
    this.#kept = new LRUCache<object, EncodedPiece>({ maxSize: maxBytes, sizeCalculation: bytesOf });
  }

  /** Bytes of all pieces, as they are kept. */
  get size(): number {
    return this.#kept.calculatedSize;
  }

  /** @param key names the piece and its encoding by identity */
  async get(key: object): Promise<EncodedPiece | undefined> {
    const packed = this.#kept.get(key);
    return packed && converted(packed, unpack);
  }

  /** Resolves when it is kept: one after the other, as each takes memory meanwhile. */
  async keep(key: object, piece: EncodedPiece): Promise<void> {
    this.#kept.set(key, await converted(piece, packed));
  }

  forget(key: object): void {
    this.#kept.delete(key);
  }
}

/** What the library gives lies in 16 KiB of its own, whatever its length. */
async function packed(bytes: Buffer): Promise<Buffer> {
  return ownCopy(await pack(bytes, level));
}

async function converted(
  { paths, definitions, roots }: EncodedPiece,
  convert: (bytes: Buffer) => Promise<Buffer>,
): Promise<EncodedPiece> {
  const made = new Map<string, Buffer>();
  for (const [name, definition] of definitions) made.set(name, await convert(definition));
  return { paths: paths.length === 0 ? paths : await convert(paths), definitions: made, roots };
}

function bytesOf({ paths, definitions }: EncodedPiece): number {
  let bytes = paths.length + 1;
  for (const definition of definitions.values()) bytes += definition.length;
  return bytes;
}
