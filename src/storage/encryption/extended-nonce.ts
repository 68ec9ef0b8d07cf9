/**
 * AES-GCM with a key of its own for each text, derived from a seed (HKDF-Expand of RFC 5869 with SHA-256): 32 random
 * bytes, from which the key is derived, nonce, cipher text, tag. So a seed may encrypt any number of texts.
 * (kube-apiserver: aes_extended_nonce.go)
 */
import { createHmac, randomBytes } from 'node:crypto';
import { AesGcm, type Cipher } from './ciphers.ts';

const infoBytes = 32;
export const seedBytes = 32;

export class ExtendedNonceGcm implements Cipher {
  readonly #seed: Buffer;

  /** @throws Error if the seed is too short */
  constructor(seed: Buffer) {
    if (seed.length < seedBytes) throw new Error(`a seed has ${String(seed.length)} bytes, which is too few`);
    this.#seed = Buffer.from(seed);
  }

  encrypt(plain: Buffer, context: Buffer): Buffer {
    const info = randomBytes(infoBytes);
    return Buffer.concat([info, this.#derived(info).encrypt(plain, context)]);
  }

  decrypt(sealed: Buffer, context: Buffer): Buffer {
    if (sealed.length < infoBytes) throw new Error('the stored data was shorter than the required size');
    return this.#derived(sealed.subarray(0, infoBytes)).decrypt(sealed.subarray(infoBytes), context);
  }

  /** One block of HKDF-Expand is a key of 32 bytes. */
  #derived(info: Buffer): AesGcm {
    return new AesGcm(createHmac('sha256', this.#seed).update(info).update(Buffer.of(1)).digest());
  }
}
