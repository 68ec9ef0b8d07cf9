/**
 * Decodes response headers (HPACK, RFC 7541). The dynamic table has size 0, so a block always means the same, and
 * decoded blocks are cached.
 */
import type { HeaderFields } from '../transport.ts';
import { decodeHuffman } from './huffman.ts';
import { PeerError } from './peer-error.ts';

/** Statuses in the static table; of its other fields only the names are needed. */
const knownStatuses: Readonly<Record<number, string>> = {
  ...{ 8: '200', 9: '204', 10: '206', 11: '304', 12: '400', 13: '404', 14: '500' },
};
const knownFields = 61;
/** Maximum number of cached blocks: successful responses of etcd have two. */
const mostRemembered = 100;
/** Longer blocks are not cached. */
const longestRemembered = 1024;

export class HeaderReader {
  readonly #remembered = new Map<string, HeaderFields>();

  /** @throws Error if the block is malformed or refers to the dynamic table */
  read(block: Buffer): HeaderFields {
    if (block.length > longestRemembered) return new BlockReader(block).fields();
    const text = block.toString('latin1');
    let fields = this.#remembered.get(text);
    if (fields === undefined) {
      fields = new BlockReader(block).fields();
      if (this.#remembered.size < mostRemembered) this.#remembered.set(text, fields);
    }
    return fields;
  }
}

class BlockReader {
  readonly #block: Buffer;
  #at = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  fields(): HeaderFields {
    const fields = new Map<string, string>();
    while (this.#at < this.#block.length) {
      const first = this.#peek();
      if (first >= 0x80) this.#known(this.#number(7), fields);
      else if (first >> 5 === 1) this.#tableSize();
      else this.#literal(first >> 6 === 1 ? 6 : 4, fields);
    }
    return fields;
  }

  #known(index: number, fields: Map<string, string>): void {
    if (index < 1 || index > knownFields)
      throw new PeerError('compression', `header field ${index} is unknown`);
    const status = knownStatuses[index];
    if (status !== undefined) fields.set(':status', status);
  }

  /** The size of the dynamic table must stay 0. */
  #tableSize(): void {
    if (this.#number(5) !== 0)
      throw new PeerError('compression', 'the table of headers grows beyond its size');
  }

  #literal(prefix: number, fields: Map<string, string>): void {
    const index = this.#number(prefix);
    if (index > knownFields) throw new PeerError('compression', `header name ${index} is unknown`);
    const name = index === 0 ? this.#text() : index in knownStatuses ? ':status' : '';
    const value = this.#text();
    if (name !== '') fields.set(name, value);
  }

  /** An integer with a `prefix`-bit prefix (RFC 7541, section 5.1). */
  #number(prefix: number): number {
    const limit = 2 ** prefix - 1;
    let value = this.#next() & limit;
    if (value < limit) return value;
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.#next();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new PeerError('compression', 'a number in a header is too large');
  }

  #text(): string {
    const isCoded = this.#peek() >= 0x80;
    const length = this.#number(7);
    const end = this.#at + length;
    if (end > this.#block.length) throw new PeerError('compression', 'a header text is cut off');
    const bytes = this.#block.subarray(this.#at, end);
    this.#at = end;
    return isCoded ? decodeHuffman(bytes) : bytes.toString('latin1');
  }

  #peek(): number {
    const byte = this.#block[this.#at];
    if (byte === undefined) throw new PeerError('compression', 'a header block is cut off');
    return byte;
  }

  #next(): number {
    const byte = this.#peek();
    this.#at += 1;
    return byte;
  }
}
