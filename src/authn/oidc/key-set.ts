/** The keys that a provider publishes (JSON Web Key Set). */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';

export interface ProviderKey {
  /** '' when the provider gives it none. */
  readonly id: string;
  readonly key: KeyObject;
}

/**
 * A check by a longer modulus, or by a longer exponent than other readers of keys take (crypto/tls and crypto/rsa of Go),
 * takes up to 11 ms, and a token of anybody may be tried with 16 keys.
 */
const rsaBits = { min: 2048, max: 8192 };
const maxRsaExponent = 2n ** 31n - 1n;
/** Reading a key takes up to 60 µs: a document of a megabyte may have 7,000, and holds the thread no longer than 10 ms. */
const mostKeys = 128;

/** Whether these are the same keys in the same order, however they were written. */
export function areSameKeys(some: readonly ProviderKey[], others: readonly ProviderKey[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, key }, i) => {
      const other = others[i];
      return other?.id === id && other.key.equals(key);
    })
  );
}

/**
 * Keys for signatures; what is for encryption, of an unknown type, too short or too costly is left out.
 * @throws Error where none is left: a provider that signs has a key, so that such an answer is a mistake; and for more
 * keys than a provider has
 */
export function readKeySet({ keys }: JsonObject): readonly ProviderKey[] {
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
  if (keys.length > mostKeys) throw new Error(`the key set has more than ${String(mostKeys)} keys`);
  const usable = keys.map(readKey).filter((key) => key !== undefined);
  if (usable.length === 0) throw new Error('the key set has no key for signatures');
  return usable;
}

function readKey(jwk: JsonValue): ProviderKey | undefined {
  if (!isObject(jwk) || (jwk['use'] ?? 'sig') !== 'sig') return undefined;
  if (jwk['kty'] !== 'RSA' && jwk['kty'] !== 'EC') return undefined;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    if (key.asymmetricKeyType === 'rsa' && !isUsableRsa(key)) return undefined;
    return { id: typeof jwk['kid'] === 'string' ? jwk['kid'] : '', key };
  } catch {
    return undefined;
  }
}

function isUsableRsa({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  return modulusLength >= rsaBits.min && modulusLength <= rsaBits.max && publicExponent <= maxRsaExponent;
}
