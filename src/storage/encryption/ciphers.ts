/**
 * The AES ciphers of encryption at rest, in the forms of kube-apiserver (its folder storage/value/encrypt): a random nonce
 * or initialization vector, then the cipher text.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomFillSync,
  type KeyObject,
} from 'node:crypto';

/** Encrypts and decrypts with one key. */
export interface Cipher {
  /** @param context authenticated with the text, if the cipher authenticates any */
  encrypt(plain: Buffer, context: Buffer): Buffer;
  /** @throws Error if the text was not made by this key, or for another context */
  decrypt(sealed: Buffer, context: Buffer): Buffer;
}

const tooShort = 'the stored data was shorter than the required size';

const gcmNonceBytes = 12;
const gcmTagBytes = 16;

/** AES-GCM with a random nonce of 96 bits: nonce, cipher text, tag. The context is authenticated. */
export class AesGcm implements Cipher {
  readonly #key: KeyObject;
  readonly #name: `aes-${128 | 192 | 256}-gcm`;

  /** @param key 16, 24 or 32 bytes */
  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
    this.#name = `aes-${String(key.length * 8)}-gcm` as 'aes-256-gcm';
  }

  encrypt(plain: Buffer, context: Buffer): Buffer {
    const nonce = randomFillSync(Buffer.allocUnsafe(gcmNonceBytes));
    const cipher = createCipheriv(this.#name, this.#key, nonce).setAAD(context);
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  decrypt(sealed: Buffer, context: Buffer): Buffer {
    const end = sealed.length - gcmTagBytes;
    if (end < gcmNonceBytes) throw new Error(tooShort);
    const options = { authTagLength: gcmTagBytes };
    const decipher = createDecipheriv(this.#name, this.#key, sealed.subarray(0, gcmNonceBytes), options);
    decipher.setAAD(context).setAuthTag(sealed.subarray(end));
    return joined(decipher.update(sealed.subarray(gcmNonceBytes, end)), decipher.final());
  }
}

const blockBytes = 16;

/** AES-CBC with PKCS #7 padding: initialization vector, cipher text. It authenticates nothing. */
export class AesCbc implements Cipher {
  readonly #key: KeyObject;
  readonly #name: string;

  /** @param key 16, 24 or 32 bytes */
  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
    this.#name = `aes-${String(key.length * 8)}-cbc`;
  }

  encrypt(plain: Buffer): Buffer {
    const vector = randomFillSync(Buffer.allocUnsafe(blockBytes));
    const cipher = createCipheriv(this.#name, this.#key, vector);
    return Buffer.concat([vector, cipher.update(plain), cipher.final()]);
  }

  decrypt(sealed: Buffer): Buffer {
    if (sealed.length < 2 * blockBytes) throw new Error(tooShort);
    if (sealed.length % blockBytes !== 0)
      throw new Error('the stored data is not a multiple of the block size');
    const decipher = createDecipheriv(this.#name, this.#key, sealed.subarray(0, blockBytes));
    return joined(decipher.update(sealed.subarray(blockBytes)), decipher.final());
  }
}

/** Most texts end with their first part. */
function joined(first: Buffer, last: Buffer): Buffer {
  return last.length === 0 ? first : Buffer.concat([first, last]);
}
