/**
 * Service account issuer discovery (KEP-1393): what relying parties need to verify bound tokens without a request to
 * the service: the issuer and its keys, as OpenID Connect Discovery 1.0 and RFC 7517 write it.
 */
import type { JsonObject } from '../../base/json.ts';
import type { VerificationKey } from './service-account-keys.ts';

/** Where the service answers them. */
export const issuerPaths = {
  configuration: '/.well-known/openid-configuration',
  keySet: '/openid/v1/jwks',
} as const;

export interface IssuerDocuments {
  readonly configuration: JsonObject;
  readonly keySet: JsonObject;
}

export interface IssuerInfo {
  readonly issuer: string;
  /** Where others find the keys; '': below the issuer. */
  readonly keySetUri: string;
  readonly keys: readonly VerificationKey[];
}

/** undefined where the issuer is no https URL: no client could fetch its keys. */
export function issuerDocuments({ issuer, keySetUri, keys }: IssuerInfo): IssuerDocuments | undefined {
  if (URL.parse(issuer)?.protocol !== 'https:') return undefined;
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))].sort();
  return {
    configuration: {
      issuer,
      jwks_uri: keySetUri || `${issuer.replace(/\/$/, '')}${issuerPaths.keySet}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms,
    },
    keySet: { keys: keys.map(publicKey) },
  };
}

/** Only the public part: a key is read as such. */
function publicKey({ id, algorithm, publicKey: key }: VerificationKey): JsonObject {
  return { use: 'sig', kid: id, alg: algorithm, ...(key.export({ format: 'jwk' }) as JsonObject) };
}
