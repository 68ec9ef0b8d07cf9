/**
 * What objects of namespaces have of their process: its authority, and tokens of service accounts, which its key signs. In
 * another process, and for a service account with another UID, there are others in their places.
 */
import { sign } from '../../authn/jwt.ts';
import { readSigningKey } from '../../authn/service-account/service-account-keys.ts';
import type { JsonObject } from '../../base/json.ts';

/** PEM. */
export interface ProcessValues {
  /** Certificate of the authority. */
  readonly ca: string;
  /** Signs tokens of service accounts. */
  readonly tokenKey: string;
}

/** Undefined where flags give service accounts another authority or another key. */
export function ownValues(
  { rootCa, signingKey }: { readonly rootCa: string; readonly signingKey: string | undefined },
  { ca, tokenKey }: ProcessValues,
): ProcessValues | undefined {
  return rootCa === ca && signingKey === tokenKey ? { ca, tokenKey } : undefined;
}

/** Begins and ends a place; no JSON has this character. */
const mark = '\0';
const place = /\0([a-z\d]+)([^\0]*)\0/g;
/** The token of a Secret. */
const token = /(?<="token":")[\w+/=]+(?=")/g;

/** The text of an object with places for them. Claims of tokens stand in theirs, so that UIDs can be renewed. */
export function withPlaces(text: string, { ca }: ProcessValues): string {
  return text
    .replaceAll(inJson(ca), `${mark}ca${mark}`)
    .replaceAll(inBase64(ca), `${mark}ca64${mark}`)
    .replaceAll(token, (found) => `${mark}token${claimsIn(found)}${mark}`);
}

/** The text of an object of this process. */
export function filledIn(text: string, { ca, tokenKey }: ProcessValues): string {
  if (!text.includes(mark)) return text;
  return text.replaceAll(place, (_all, kind: string, claims: string) => {
    if (kind === 'ca') return inJson(ca);
    if (kind === 'ca64') return inBase64(ca);
    const key = readSigningKey(tokenKey);
    return inBase64(sign(JSON.parse(claims) as JsonObject, key));
  });
}

/** The JSON of the claims in a token of a Secret. */
function claimsIn(found: string): string {
  const [, claims = ''] = Buffer.from(found, 'base64').toString('latin1').split('.');
  return Buffer.from(claims, 'base64url').toString('latin1');
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
