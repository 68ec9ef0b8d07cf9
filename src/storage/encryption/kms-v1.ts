/**
 * KMS v1: each value has a data key of its own, which the plugin encrypts: length of the encrypted key (16 bits), the
 * key, then the value by AES-CBC (kube-apiserver 1.21: envelope.go, grpc_service.go). Releases from 1.25 on write it by
 * AES-GCM, which is read, too.
 */
import { randomBytes } from 'node:crypto';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { AesCbc, AesGcm, type Cipher } from './ciphers.ts';
import type { DataKeys } from './data-keys.ts';
import type { KmsApi, KmsCall } from './kms-api.ts';
import { GarbledKeyError, KmsError } from './kms-connection.ts';
import { kmsV1 } from './kms-messages.ts';

const version = 'v1beta1';
const keyBytes = 32;
const lengthBytes = 2;
const maxKeyBytes = 0xffff;
const ping = Buffer.from('ping');

/** Nothing says which of both wrote a value: only AES-GCM notices that it did not. */
class ValueCipher implements Cipher {
  readonly #cbc: AesCbc;
  readonly #gcm: AesGcm;

  constructor(key: Buffer) {
    this.#cbc = new AesCbc(key);
    this.#gcm = new AesGcm(key);
  }

  encrypt(plain: Buffer): Buffer {
    return this.#cbc.encrypt(plain);
  }

  decrypt(sealed: Buffer, context: Buffer): Buffer {
    try {
      return this.#gcm.decrypt(sealed, context);
    } catch {
      return this.#cbc.decrypt(sealed);
    }
  }
}

export class KmsV1 implements KmsApi {
  readonly keyId = '';
  readonly #call: KmsCall;
  readonly #keys: DataKeys;
  #isVersionChecked = false;

  constructor(call: KmsCall, keys: DataKeys) {
    this.#call = call;
    this.#keys = keys;
  }

  keyIdOf(): string {
    return '';
  }

  async encrypt(plain: Buffer): Promise<Buffer> {
    const key = randomBytes(keyBytes);
    const { cipher: sealedKey } = await this.#call(kmsV1.encrypt, { version, plain: key });
    if (sealedKey.length === 0 || sealedKey.length > maxKeyBytes)
      throw new KmsError(`the plugin made an encrypted key of ${String(sealedKey.length)} bytes`, false);
    const cipher = new ValueCipher(key);
    this.#keys.add(sealedKey.toString('base64'), cipher);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt16BE(sealedKey.length);
    return Buffer.concat([length, sealedKey, cipher.encrypt(plain)]);
  }

  decrypt(sealed: Buffer, context: Buffer): MaybePromise<Buffer> {
    const end = sealed.length < lengthBytes ? Infinity : lengthBytes + sealed.readUInt16BE(0);
    if (end > sealed.length) throw new Error('the stored data has no encrypted key');
    // Copies: the value may be a view into a message that is gone when the plugin answers.
    const sealedKey = Buffer.from(sealed.subarray(lengthBytes, end));
    const text = sealed.subarray(end);
    const ask = async (): Promise<Cipher> => {
      const { plain } = await this.#call(kmsV1.decrypt, { version, cipher: sealedKey });
      return new ValueCipher(plain);
    };
    return this.#keys.decrypt(sealedKey.toString('base64'), ask, (cipher) => cipher.decrypt(text, context));
  }

  async probe(call: KmsCall): Promise<void> {
    if (!this.#isVersionChecked) {
      const answer = await call(kmsV1.version, { version });
      if (answer.version !== version)
        throw new KmsError(`the plugin has version ${answer.version} of the API, not ${version}`, false);
      this.#isVersionChecked = true;
    }
    const { cipher } = await call(kmsV1.encrypt, { version, plain: ping });
    const { plain } = await call(kmsV1.decrypt, { version, cipher });
    if (!ping.equals(plain)) throw new GarbledKeyError();
  }
}
