/**
 * The stream cipher XSalsa20 with a position, so that large texts can be encrypted in pieces (D. J. Bernstein, "Extending
 * the Salsa20 nonce" and "Salsa20 specification"). tweetnacl has it only from the start of the key stream.
 */
import nacl from 'tweetnacl';

/** tweetnacl exports it without a type. */
const { lowlevel } = nacl as unknown as {
  readonly lowlevel: {
    crypto_core_hsalsa20(out: Uint8Array, nonce: Uint8Array, key: Uint8Array, constant: Uint8Array): void;
  };
};

/** Bytes that are encrypted by one block of the key stream. */
const blockBytes = 64;
const constant = Buffer.from('expand 32-byte k');
/** The word of the state that counts blocks. 2^32 of them are 256 GiB. */
const counterAt = 8;
const rounds = 20;

export class XSalsa20 {
  readonly #state: Int32Array;
  /** The present block of the key stream. */
  readonly #block = new Int32Array(blockBytes / 4);

  /** @param key 32 bytes @param nonce 24 bytes */
  constructor(key: Uint8Array, nonce: Uint8Array) {
    const subkey = Buffer.alloc(32);
    lowlevel.crypto_core_hsalsa20(subkey, nonce.subarray(0, 16), key, constant);
    const [c, k, n] = [wordsOf(constant), wordsOf(subkey), wordsOf(Buffer.from(nonce.subarray(16)))];
    const diagonal = (i: number): number[] => c.slice(i, i + 1);
    this.#state = Int32Array.from([
      ...[...diagonal(0), ...k.slice(0, 4)],
      ...[...diagonal(1), ...n, 0, 0],
      ...[...diagonal(2), ...k.slice(4), ...diagonal(3)],
    ]);
  }

  /** Goes on with the key stream over a part of a text, in place. Each part but the last has a multiple of 64 bytes. */
  apply(text: DataView, from: number, to: number): void {
    for (let at = from; at < to; at += blockBytes) {
      this.#nextBlock();
      const whole = Math.min(to - at, blockBytes) >> 2;
      for (let i = 0; i < whole; i += 1) {
        const place = at + 4 * i;
        text.setInt32(place, text.getInt32(place, true) ^ (this.#block[i] ?? 0), true);
      }
      for (let place = at + 4 * whole; place < Math.min(to, at + blockBytes); place += 1) {
        const word = this.#block[whole] ?? 0;
        text.setUint8(place, text.getUint8(place) ^ (word >>> (8 * (place & 3))));
      }
    }
  }

  #nextBlock(): void {
    const [state, x] = [this.#state, this.#block];
    x.set(state);
    for (let round = 0; round < rounds; round += 2) doubleRound(x);
    for (let i = 0; i < x.length; i += 1) x[i] = (x[i] ?? 0) + (state[i] ?? 0);
    state[counterAt] = (state[counterAt] ?? 0) + 1;
  }
}

function wordsOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readInt32LE(4 * i));
}

/** Columns, then rows. */
function doubleRound(x: Int32Array): void {
  quarterRound(x, 0, 4, 8, 12);
  quarterRound(x, 5, 9, 13, 1);
  quarterRound(x, 10, 14, 2, 6);
  quarterRound(x, 15, 3, 7, 11);
  quarterRound(x, 0, 1, 2, 3);
  quarterRound(x, 5, 6, 7, 4);
  quarterRound(x, 10, 11, 8, 9);
  quarterRound(x, 15, 12, 13, 14);
}

// eslint-disable-next-line max-params -- an object for each of them would cost more than the work
function quarterRound(x: Int32Array, a: number, b: number, c: number, d: number): void {
  let [xa, xb, xc, xd] = [x[a] ?? 0, x[b] ?? 0, x[c] ?? 0, x[d] ?? 0];
  xb ^= rotated((xa + xd) | 0, 7);
  xc ^= rotated((xb + xa) | 0, 9);
  xd ^= rotated((xc + xb) | 0, 13);
  xa ^= rotated((xd + xc) | 0, 18);
  x[a] = xa;
  x[b] = xb;
  x[c] = xc;
  x[d] = xd;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
