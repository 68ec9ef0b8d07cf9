/**
 * Encodes request headers (HPACK, RFC 7541). Constant fields are sent once and then referenced by their index in the
 * dynamic table: a block of 190 bytes becomes one of 25, and a repeated call costs one look-up.
 */
import type { Field, RequestHead } from '../transport.ts';

/** Indexes of names in the static table (RFC 7541, appendix A). */
const knownNames: Readonly<Record<string, number>> = { ':authority': 1, ':path': 4, 'content-type': 31 };
const knownFields = 61;
const post = 0x83;
const scheme = { http: 0x86, https: 0x87 } as const;
/** Default size of the dynamic table, of which a few paths need a fraction. */
const usualTableBytes = 4096;
const fieldOverhead = 32;
/** Maximum number of cached blocks. */
const mostRemembered = 64;

export class HeaderWriter {
  readonly #scheme: number;
  readonly #constant: readonly Field[];
  /** Entries of the dynamic table, oldest first. */
  readonly #told: string[] = [];
  #freeBytes: number;
  #isSizeTold: boolean;
  readonly #remembered = new Map<string, Buffer>();

  /** `tableBytes` is the SETTINGS_HEADER_TABLE_SIZE of the peer. */
  constructor(address: URL, constant: readonly Field[], tableBytes: number) {
    this.#scheme = address.protocol === 'https:' ? scheme.https : scheme.http;
    this.#constant = [[':authority', address.host], ...constant];
    this.#freeBytes = tableBytes < usualTableBytes ? 0 : usualTableBytes;
    this.#isSizeTold = tableBytes >= usualTableBytes;
  }

  /** Whether the dynamic table has entries. */
  get hasTold(): boolean {
    return this.#told.length > 0;
  }

  /** The block of the next request; blocks must be sent in this order. */
  write(head: RequestHead): Buffer {
    const key = `${head.path} ${head.changing[1]}`;
    const known = head.secret === undefined ? this.#remembered.get(key) : undefined;
    if (known !== undefined) return known;
    const told = this.#told.length;
    const isSizeTold = this.#isSizeTold;
    const block = this.#block(head);
    // A block that inserts entries shifts the indexes of all others and is not reusable.
    if (told !== this.#told.length) this.#remembered.clear();
    else if (isSizeTold && head.secret === undefined && this.#remembered.size < mostRemembered)
      this.#remembered.set(key, block);
    return block;
  }

  #block({ path, changing, secret }: RequestHead): Buffer {
    const parts: Buffer[] = [];
    if (!this.#isSizeTold) parts.push(Buffer.of(0x20));
    this.#isSizeTold = true;
    parts.push(Buffer.of(post, this.#scheme), this.#kept(':path', path));
    for (const [name, value] of this.#constant) parts.push(this.#kept(name, value));
    parts.push(literal(0x00, changing[0], changing[1]));
    if (secret !== undefined) parts.push(literal(0x10, secret[0], secret[1]));
    return Buffer.concat(parts);
  }

  /** A field as an index of the dynamic table, or inserted into it. */
  #kept(name: string, value: string): Buffer {
    const field = `${name}: ${value}`;
    const place = this.#told.indexOf(field);
    if (place >= 0) return number(0x80, 7, knownFields + this.#told.length - place);
    const bytes = name.length + value.length + fieldOverhead;
    const known = knownNames[name];
    const mayKeep = bytes <= this.#freeBytes;
    if (mayKeep) {
      this.#freeBytes -= bytes;
      this.#told.push(field);
    }
    if (known === undefined) return literal(mayKeep ? 0x40 : 0x00, name, value);
    return Buffer.concat([mayKeep ? number(0x40, 6, known) : number(0x00, 4, known), text(value)]);
  }
}

function literal(kind: number, name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(kind), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([number(0x00, 7, bytes.length), bytes]);
}

/** An integer with a `prefix`-bit prefix, in a byte whose first bits are `kind` (RFC 7541, section 5.1). */
function number(kind: number, prefix: number, value: number): Buffer {
  const limit = 2 ** prefix - 1;
  if (value < limit) return Buffer.of(kind | value);
  const bytes = [kind | limit];
  let rest = value - limit;
  for (; rest >= 0x80; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
