/**
 * KMS v2: all values are encrypted by one seed while the plugin keeps its key; the encrypted seed lies beside each of
 * them (kube-apiserver: its folder kmsv2). The plugin's status says which key it has.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { PassiveClock } from '../../base/clock.ts';
import { quoted } from '../../base/short-text.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { AesGcm, type Cipher } from './ciphers.ts';
import type { DataKeys } from './data-keys.ts';
import { ExtendedNonceGcm, seedBytes } from './extended-nonce.ts';
import type { KmsApi, KmsCall } from './kms-api.ts';
import { GarbledKeyError, KmsError } from './kms-connection.ts';
import {
  decodeEncryptedObject,
  dekSource,
  encodeEncryptedObject,
  kmsLimits,
  kmsV2,
  type EncryptedObject,
  type V2Status,
} from './kms-messages.ts';

/** Versions that plugins report for this API. */
const versions = ['v2', 'v2beta1'];

/**
 * Time in milliseconds after which a seed is not used any more if the status of the plugin has not confirmed its key
 * (kube-apiserver: kmsv2PluginWriteDEKSourceMaxTTL).
 */
export const defaultSeedMs = 3 * 60_000;

/** What values are encrypted with. */
interface Seed {
  readonly cipher: Cipher;
  readonly sealed: Omit<EncryptedObject, 'encryptedData'>;
}

interface KmsV2Options {
  readonly keys: DataKeys;
  readonly clock: PassiveClock;
  readonly seedMs?: number | undefined;
}

export class KmsV2 implements KmsApi {
  readonly #call: KmsCall;
  readonly #keys: DataKeys;
  readonly #clock: PassiveClock;
  readonly #seedMs: number;
  #seed: Seed | undefined;
  /** When the plugin last had the key of the seed. */
  #confirmedAt = 0;
  #renewal: Promise<Seed> | undefined;

  constructor(call: KmsCall, { keys, clock, seedMs = defaultSeedMs }: KmsV2Options) {
    this.#call = call;
    this.#keys = keys;
    this.#clock = clock;
    this.#seedMs = seedMs;
  }

  get keyId(): string | undefined {
    return this.#seed?.sealed.keyID;
  }

  keyIdOf(sealed: Buffer): string {
    return decodeEncryptedObject(sealed).keyID;
  }

  async encrypt(plain: Buffer, context: Buffer): Promise<Buffer> {
    const { cipher, sealed } = this.#seed ?? (await this.#renew(this.#call));
    if (this.#clock.monotonic() - this.#confirmedAt > this.#seedMs)
      throw new KmsError(
        'the plugin has not confirmed its key for too long, so nothing is encrypted with it',
        true,
      );
    return encodeEncryptedObject({ ...sealed, encryptedData: cipher.encrypt(plain, context) });
  }

  decrypt(sealed: Buffer, context: Buffer): MaybePromise<Buffer> {
    const object = decodeEncryptedObject(sealed);
    const ask = (): Promise<Cipher> => this.#decryptKey(this.#call, object);
    return this.#keys.decrypt(idOf(object), ask, (cipher) => cipher.decrypt(object.encryptedData, context));
  }

  async probe(call: KmsCall, isThorough: boolean): Promise<void> {
    const status = await call(kmsV2.status, {});
    assertHealthy(status);
    const isOther = this.#seed === undefined || this.#seed.sealed.keyID !== status.key_id;
    if (!isOther) this.#confirmedAt = this.#clock.monotonic();
    if (!isOther && !isThorough) return;
    await this.#renew(call);
  }

  async #decryptKey(call: KmsCall, sealed: Seed['sealed']): Promise<Cipher> {
    const plaintext = await sourceOf(call, sealed);
    const { encryptedDEKSourceType } = sealed;
    switch (encryptedDEKSourceType) {
      case dekSource.key:
        return new AesGcm(plaintext);
      case dekSource.seed:
        return new ExtendedNonceGcm(plaintext);
      default:
        throw new Error(`data keys of type ${String(encryptedDEKSourceType)} are unknown`);
    }
  }

  /** Another seed, encrypted by the key that the plugin has now. */
  #renew(call: KmsCall): Promise<Seed> {
    this.#renewal ??= this.#makeSeed(call).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #makeSeed(call: KmsCall): Promise<Seed> {
    const plaintext = randomBytes(seedBytes);
    const answer = await call(kmsV2.encrypt, { plaintext, uid: randomUUID() });
    const sealed = {
      keyID: answer.key_id,
      encryptedDEKSource: Buffer.from(answer.ciphertext),
      annotations: answer.annotations,
      encryptedDEKSourceType: dekSource.seed,
    };
    assertBounded(sealed);
    if (!plaintext.equals(await sourceOf(call, sealed))) throw new GarbledKeyError();
    const cipher = new ExtendedNonceGcm(plaintext);
    this.#keys.add(idOf(sealed), cipher);
    this.#confirmedAt = this.#clock.monotonic();
    return (this.#seed = { cipher, sealed });
  }
}

/** The seed or key as the plugin decrypts it. */
async function sourceOf(
  call: KmsCall,
  { encryptedDEKSource, keyID, annotations }: Seed['sealed'],
): Promise<Buffer> {
  const ciphertext = Buffer.from(encryptedDEKSource);
  const request = { ciphertext, uid: randomUUID(), key_id: keyID, annotations };
  return (await call(kmsV2.decrypt, request)).plaintext;
}

/** Equal for values with the same data key. */
function idOf({ encryptedDEKSource, keyID, annotations, encryptedDEKSourceType }: Seed['sealed']): string {
  const hash = createHash('sha256');
  const add = (part: string | Uint8Array): void => {
    hash.update(`${String(part.length)}:`).update(part);
  };
  for (const part of [String(encryptedDEKSourceType), keyID, encryptedDEKSource]) add(part);
  for (const name of Object.keys(annotations).sort())
    for (const part of [name, annotations[name] ?? '']) add(part);
  return hash.digest('base64');
}

function assertHealthy({ healthz, version, key_id: keyId }: V2Status): void {
  if (healthz !== 'ok') throw new KmsError(`the plugin reports ${quoted(healthz)}`, false);
  if (!versions.includes(version))
    throw new KmsError(`the plugin has version ${version} of the API, not ${versions.join(' or ')}`, false);
  if (keyId === '') throw new KmsError('the plugin reports no key_id', false);
}

/** @throws KmsError */
function assertBounded({ keyID, encryptedDEKSource, annotations }: Seed['sealed']): void {
  const annotationBytes = Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    0,
  );
  const isBounded =
    keyID !== '' &&
    Buffer.byteLength(keyID) <= kmsLimits.keyId &&
    encryptedDEKSource.length > 0 &&
    encryptedDEKSource.length <= kmsLimits.source &&
    annotationBytes <= kmsLimits.annotations;
  if (!isBounded)
    throw new KmsError('the plugin made a key ID, an encrypted key or annotations out of bounds', false);
}
