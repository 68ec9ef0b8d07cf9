/** The keys that a provider publishes (JSON Web Key Set). */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';

export interface ProviderKey {
  /** '' when the provider gives it none. */
  readonly id: string;
  readonly key: KeyObject;
}

const minRsaBits = 2048;
/** Reading a key takes up to 60 µs: a document of a megabyte may have 7,000, and holds the thread no longer than 10 ms. */
const mostKeys = 128;

/**
 * Keys for signatures; what is for encryption, of an unknown type or too short is left out.
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
    if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < minRsaBits)
      return undefined;
    return { id: typeof jwk['kid'] === 'string' ? jwk['kid'] : '', key };
  } catch {
    return undefined;
  }
}
