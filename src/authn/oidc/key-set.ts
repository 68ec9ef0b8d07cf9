/** The keys that a provider publishes (JSON Web Key Set). */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';

export interface ProviderKey {
  /** '' when the provider gives it none. */
  readonly id: string;
  readonly key: KeyObject;
}

const minRsaBits = 2048;

/** Keys for signatures; what is for encryption, of an unknown type or too short is left out. */
export function readKeySet({ keys }: JsonObject): readonly ProviderKey[] {
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
  return keys.map(readKey).filter((key) => key !== undefined);
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
