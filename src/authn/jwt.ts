/** JSON Web Tokens: what they say, and whether a key has signed it. */
import type { KeyObject } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { isObject, type JsonObject } from '../base/json.ts';

/** Algorithms of signatures by a private key; no token signed with a shared secret, or not at all, is ever read. */
export const signingAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
] as const;

export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** The claims and header of a token. None of them can be trusted before the signature is verified. */
export interface UnverifiedJwt {
  readonly algorithm: string;
  /** '' when the token does not say which key signed it. */
  readonly keyId: string;
  readonly claims: JsonObject;
}

const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Reads a token without checking anything; undefined when it is none of this form. */
export function readUnverified(token: string): UnverifiedJwt | undefined {
  if (!compact.test(token)) return undefined;
  const parts = token.split('.');
  const [head = '', body = ''] = parts;
  // Bits beyond the last byte are ignored by decoders; a token has one form only.
  if (!parts.every(isCanonical)) return undefined;
  const header = jsonOf(head);
  const claims = jsonOf(body);
  if (!header || !claims) return undefined;
  // It asks for extensions, of which none is known here (RFC 7515, section 4.1.11).
  if (Object.hasOwn(header, 'crit')) return undefined;
  const { alg, kid } = header;
  return {
    algorithm: typeof alg === 'string' ? alg : '',
    keyId: typeof kid === 'string' ? kid : '',
    claims,
  };
}

function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function jsonOf(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the key signed the token with this algorithm. Times in the token are left to the caller. */
export function isSignedBy(token: string, key: KeyObject, algorithm: SigningAlgorithm): boolean {
  try {
    jsonwebtoken.verify(token, key, {
      algorithms: [algorithm],
      ignoreExpiration: true,
      ignoreNotBefore: true,
    });
    return true;
  } catch {
    return false;
  }
}

/** Signs claims as they are; the time of issue is among them only where they say it. */
export function sign(
  claims: JsonObject,
  key: { readonly privateKey: KeyObject; readonly algorithm: SigningAlgorithm; readonly id: string },
): string {
  return jsonwebtoken.sign(claims, key.privateKey, {
    algorithm: key.algorithm,
    keyid: key.id,
    // jsonwebtoken removes an existing claim `iat` when its option `noTimestamp` is set.
    noTimestamp: !Object.hasOwn(claims, 'iat'),
  });
}

/** A claim that is text; '' when it is absent or of another type. */
export function textClaim(claims: JsonObject, name: string): string {
  const value = claims[name];
  return typeof value === 'string' ? value : '';
}

/** A claim of one text or several; empty when it is absent or of another type. */
export function textsClaim(claims: JsonObject, name: string): readonly string[] {
  const value = claims[name];
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
}

/** A time in seconds since 1970 as milliseconds; undefined when it is absent, NaN when it is no number. */
export function timeClaim(claims: JsonObject, name: string): number | undefined {
  const value = claims[name];
  if (value === undefined) return undefined;
  return typeof value === 'number' ? value * 1000 : NaN;
}
