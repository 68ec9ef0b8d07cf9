/**
 * NaCl's secretbox (XSalsa20 and Poly1305), in the form of kube-apiserver: nonce, tag, cipher text. It authenticates the
 * text, but no context. It has no native code, so that large texts take milliseconds: they are encrypted in slices.
 */
import { randomFillSync } from 'node:crypto';
import nacl from 'tweetnacl';
import { SharedSlice } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { XSalsa20 } from './xsalsa20.ts';

/** tweetnacl exports it without a type. */
const { lowlevel } = nacl as unknown as {
  readonly lowlevel: {
    crypto_onetimeauth(
      out: Uint8Array,
      at: number,
      text: Uint8Array,
      from: number,
      length: number,
      key: Uint8Array,
    ): void;
  };
};

const { nonceLength: nonceBytes, overheadLength: tagBytes } = nacl.secretbox;
/** The first bytes of the key stream are the key of the tag; the text comes behind. */
const tagKeyBytes = 32;
/** Texts up to this length take well under a millisecond. */
const atOnceBytes = 64 * 1024;
/** The part of a text that takes one or two milliseconds. */
const stepBytes = 128 * 1024;

/** Shared by all texts that are in work. */
const slice = new SharedSlice();

export class Secretbox {
  readonly #key: Uint8Array;

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = Uint8Array.from(key);
  }

  encrypt(plain: Buffer): MaybePromise<Buffer> {
    const nonce = randomFillSync(Buffer.alloc(nonceBytes));
    if (plain.length > atOnceBytes) return this.#encryptLarge(plain, nonce);
    return Buffer.concat([nonce, nacl.secretbox(plain, nonce, this.#key)]);
  }

  /** @throws Error if the text was not made by this key */
  decrypt(sealed: Buffer): MaybePromise<Buffer> {
    if (sealed.length < nonceBytes + tagBytes)
      throw new Error('the stored data was shorter than the required size');
    if (sealed.length > atOnceBytes) return this.#decryptLarge(sealed);
    const plain = nacl.secretbox.open(sealed.subarray(nonceBytes), sealed.subarray(0, nonceBytes), this.#key);
    if (plain === false) throw wrongKey();
    return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
  }

  async #encryptLarge(plain: Buffer, nonce: Buffer): Promise<Buffer> {
    const { text, tagKey } = await this.#applied(plain, nonce);
    await slice.yieldNow();
    return Buffer.concat([nonce, tagOf(text, tagKey), text]);
  }

  /** Nothing is decrypted before the tag is right. */
  async #decryptLarge(sealed: Buffer): Promise<Buffer> {
    // The value may be a view into a message that is gone in the next turn.
    const nonce = Buffer.from(sealed.subarray(0, nonceBytes));
    const tag = Buffer.from(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = Buffer.from(sealed.subarray(nonceBytes + tagBytes));
    await slice.yieldNow();
    const { tagKey } = await this.#applied(Buffer.alloc(0), nonce);
    if (!nacl.verify(tagOf(text, tagKey), tag)) throw wrongKey();
    await slice.yieldNow();
    return (await this.#applied(text, nonce)).text;
  }

  /** The text with the key stream behind the key of the tag, and that key. */
  async #applied(text: Buffer, nonce: Buffer): Promise<{ readonly text: Buffer; readonly tagKey: Buffer }> {
    const whole = Buffer.alloc(tagKeyBytes + text.length);
    text.copy(whole, tagKeyBytes);
    const cipher = new XSalsa20(this.#key, nonce);
    const view = new DataView(whole.buffer, whole.byteOffset, whole.length);
    for (let from = 0; from < whole.length; from += stepBytes) {
      if (slice.shouldYield()) await slice.yieldNow();
      cipher.apply(view, from, Math.min(whole.length, from + stepBytes));
    }
    return { text: whole.subarray(tagKeyBytes), tagKey: Buffer.from(whole.subarray(0, tagKeyBytes)) };
  }
}

/** One step: a few milliseconds for the largest text that etcd takes. */
function tagOf(text: Buffer, key: Buffer): Buffer {
  const tag = Buffer.alloc(tagBytes);
  lowlevel.crypto_onetimeauth(tag, 0, text, 0, text.length, key);
  return tag;
}

function wrongKey(): Error {
  return new Error('the stored data does not match the key');
}
