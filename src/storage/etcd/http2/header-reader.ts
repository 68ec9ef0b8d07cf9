/**
 * Headers of answers (HPACK, RFC 7541). Peers are told that nothing is remembered from one block to the next (a table of
 * size 0), so a block means the same whenever it comes, and one that came before is not read again.
 */
import type { HeaderFields } from '../transport.ts';
import { decodeHuffman } from './huffman.ts';
import { PeerError } from './peer-error.ts';

/** Statuses among the fields that every peer knows; of the others only the names count here, and none of them is asked for. */
const knownStatuses: Readonly<Record<number, string>> = {
  ...{ 8: '200', 9: '204', 10: '206', 11: '304', 12: '400', 13: '404', 14: '500' },
};
const knownFields = 61;
/** As many different blocks are remembered: etcd's answers that went well have two. */
const mostRemembered = 100;
/** Longer blocks are read each time they come. */
const longestRemembered = 1024;

export class HeaderReader {
  readonly #remembered = new Map<string, HeaderFields>();

  /** @throws Error when the block is no header block, or refers to what was not to be remembered */
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

  /** The table was to remember nothing. */
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

  /** A number whose first bits are the last `prefix` bits of this byte (RFC 7541, section 5.1). */
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
