/**
 * Authenticating proxy (`--requestheader-*`): a proxy names the user in request headers. The headers count only on a
 * connection with a client certificate of the proxy's CA and, where allowed names are configured, with one of these
 * common names; from all other clients they are ignored.
 */
import type { X509Certificate } from 'node:crypto';
import { type PassiveClock } from '../base/clock.ts';
import { headerText, HeaderTextError } from '../base/header-text.ts';
import type { UserInfo } from '../meta/user.ts';
import { ChainVerifier } from './certificate-chain.ts';
import { userOf } from './client-certificate.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from './types.ts';

const name = 'requestheader';

/** Header names, in lower case. */
export interface ProxyHeaders {
  /** The first that has a value is the user. */
  readonly usernames: readonly string[];
  /** The first that has a value is the UID. */
  readonly uids: readonly string[];
  /** Each value is a group. */
  readonly groups: readonly string[];
  /** What follows one of these is the key of an extra attribute, percent-encoded. */
  readonly extraPrefixes: readonly string[];
}

export interface RequestHeaderOptions extends ProxyHeaders {
  readonly authorities: readonly X509Certificate[];
  /** Common names of proxies; empty: any that the authorities have certified. */
  readonly allowedNames: readonly string[];
  readonly clock: PassiveClock;
}

export function createRequestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const { clock } = options;
  const verifier = new ChainVerifier(() => options.authorities);
  return {
    authenticate({ peer, rawHeaders = [] }: AuthenticationRequest): AuthenticationResult | undefined {
      const leaf = peer.certificates[0];
      const isProxy = peer.authorized && verifier.isIssued(peer.certificates, clock.now());
      if (!leaf || !isProxy) return undefined;
      const user = readUser(rawHeaders, options);
      if (typeof user === 'string') return rejected(user);
      return user && decide(leaf, user, { ...options, clock });
    },
  };
}

function decide(
  leaf: X509Certificate,
  user: UserInfo,
  { allowedNames, clock }: RequestHeaderOptions & { readonly clock: PassiveClock },
): AuthenticationResult {
  const now = clock.now();
  if (!(now >= leaf.validFromDate.getTime() && now <= leaf.validToDate.getTime()))
    return rejected('its certificate is not valid now');
  const commonName = userOf(leaf)?.name ?? '';
  if (allowedNames.length > 0 && !allowedNames.includes(commonName))
    return rejected('its certificate is of another name');
  return { outcome: 'authenticated', user, authenticator: name };
}

function rejected(problem: string): AuthenticationResult {
  return { outcome: 'rejected', authenticator: name, reason: `authenticating proxy: ${problem}` };
}

/** The user that the headers name; undefined when they name none, a text when they are invalid. */
function readUser(rawHeaders: readonly string[], headers: ProxyHeaders): UserInfo | string | undefined {
  try {
    const firstOf = (names: readonly string[]): string | undefined =>
      names.flatMap((header) => valuesOf(rawHeaders, header)).find((value) => value !== '');
    const username = firstOf(headers.usernames);
    if (username === undefined) return undefined;
    const groups = headers.groups.flatMap((header) => valuesOf(rawHeaders, header)).filter(Boolean);
    const extra = readExtra(rawHeaders, headers.extraPrefixes);
    return { name: username, uid: firstOf(headers.uids) ?? '', groups: [...new Set(groups)], extra };
  } catch (error) {
    if (error instanceof HeaderTextError) return error.message;
    throw error;
  }
}

function valuesOf(rawHeaders: readonly string[], header: string): string[] {
  return rawHeaders
    .filter((_value, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === header)
    .map(headerText);
}

function readExtra(rawHeaders: readonly string[], prefixes: readonly string[]): UserInfo['extra'] {
  const extra = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]?.toLowerCase() ?? '';
    const prefix = prefixes.find((start) => header.startsWith(start) && header.length > start.length);
    if (prefix === undefined) continue;
    const key = decoded(header.slice(prefix.length));
    extra.set(key, [...(extra.get(key) ?? []), headerText(rawHeaders[i + 1] ?? '')]);
  }
  return Object.fromEntries(extra);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
