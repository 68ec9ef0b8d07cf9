/**
 * Large documents that are compressed while they are made: their plain bytes, hundreds of megabytes with thousands of
 * definitions, are never there together. Sections are written side by side, each is compressed by itself, and in the
 * end they are put together as one gzip file (RFC 1952).
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants, crc32, createDeflateRaw } from 'node:zlib';
import type { Slice } from '../base/cooperate.ts';
import { crc32Joined } from '../base/crc32-joined.ts';
import { blockBytes, blocksOf, type CachedDocument } from './cached-document.ts';
import { concatSliced } from './concat-sliced.ts';

/** No name, no time, made by no system in particular. */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty block of DEFLATE that says that it is the last one. */
const lastBlock = Buffer.from([3, 0]);

/** A part of a document. Its owner calls `close` in the end, whatever became of it. */
export class PackedSection {
  readonly #stream = createDeflateRaw({ finishFlush: constants.Z_SYNC_FLUSH });
  readonly #packed = gathered(this.#stream);
  readonly #digest = createHash('sha256');
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #length = 0;
  #crc = 0;

  constructor() {
    // Whoever ends the section is told.
    this.#packed.catch(() => undefined);
  }

  /** Bytes that were written, not compressed; all of them when it has ended. */
  get length(): number {
    return this.#length;
  }

  get crc(): number {
    return this.#crc;
  }

  /** Compresses what comes in the thread pool, and waits while that is behind. */
  async write(parts: readonly Buffer[], slice: Slice): Promise<void> {
    for (const part of parts) {
      this.#waiting.push(part);
      this.#waitingBytes += part.length;
      if (this.#waitingBytes >= blockBytes) await this.#pass(slice);
    }
  }

  /** Nothing is written after it. Returns the compressed bytes, and a hash of the plain ones. */
  async end(slice: Slice): Promise<{ readonly packed: readonly Buffer[]; readonly hash: Buffer }> {
    await this.#pass(slice);
    this.#stream.end();
    return { packed: await this.#packed, hash: this.#digest.digest() };
  }

  close(): void {
    this.#stream.destroy();
  }

  async #pass(slice: Slice): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const block of blocksOf(waiting)) {
      this.#length += block.length;
      this.#crc = crc32(block, this.#crc);
      this.#digest.update(block);
      if (!this.#stream.write(block)) await once(this.#stream, 'drain');
      await slice.breathe();
    }
  }
}

async function gathered(stream: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const chunk of stream) all.push(chunk);
  return all;
}

/** A section that has ended, or bytes for one. */
export interface EndedSection {
  readonly length: number;
  readonly crc: number;
  readonly packed: readonly Buffer[];
  /** Of its plain bytes. */
  readonly hash: Buffer;
}

/** Ends a section. */
export async function ended(section: PackedSection, slice: Slice): Promise<EndedSection> {
  const made = await section.end(slice);
  return { ...made, length: section.length, crc: section.crc };
}

/** A document of sections and of bytes between them, which are few. */
export async function packedDocument(
  mediaType: string,
  parts: readonly (EndedSection | Buffer)[],
  slice: Slice,
): Promise<CachedDocument> {
  const digest = createHash('sha256');
  const packed: Buffer[] = [gzipHead];
  let crc = 0;
  let length = 0;
  for (const part of parts) {
    const section = Buffer.isBuffer(part) ? await sectionOf(part, slice) : part;
    digest.update(section.hash);
    for (const chunk of section.packed) packed.push(chunk);
    crc = crc32Joined(crc, section.crc, section.length);
    length += section.length;
  }
  const compressed = await concatSliced([...packed, lastBlock, gzipEnd(crc, length)], slice);
  return { mediaType, length, bytes: undefined, compressed, hash: digest.digest('hex').toUpperCase() };
}

async function sectionOf(bytes: Buffer, slice: Slice): Promise<EndedSection> {
  const section = new PackedSection();
  try {
    await section.write([bytes], slice);
    return await ended(section, slice);
  } finally {
    section.close();
  }
}

function gzipEnd(crc: number, length: number): Buffer {
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc, 0);
  end.writeUInt32LE(length % 2 ** 32, 4);
  return end;
}
