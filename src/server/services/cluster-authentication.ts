/**
 * The ConfigMap by which extension API servers learn who may call them: the CA of clients, and the CA, the names and
 * the headers of authenticating proxies (release 1.21, `cluster_authentication_trust_controller.go`). What other
 * replicas say is kept, so that replicas with different files do not overwrite each other.
 */
import { readCertificates } from '../../authn/certificate-chain.ts';
import { deepEqual, isObject, type JsonValue } from '../../base/json.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { asJson } from '../../meta/object.ts';
import type { ProxyConfig } from '../../options/authentication/authentication-config.ts';
import type { MaintainedObject } from './maintained-object.ts';

const name = 'extension-apiserver-authentication';
/** Certificates are kept for this time after their end. */
const graceMs = 300_000;
const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export interface ClusterAuthentication {
  /** CA bundles of clients (PEM). */
  readonly clientCa: readonly string[];
  /** CA bundle of authenticating proxies (PEM); undefined if there are none. */
  readonly proxyCa: string | undefined;
  readonly proxies: Pick<ProxyConfig, 'usernames' | 'groups' | 'extraPrefixes' | 'allowedNames'> & {
    /** Absent where the release has no headers with UIDs. */
    readonly uids?: readonly string[];
  };
}

/** @param now in milliseconds: certificates that ended before are left out */
export function clusterAuthentication(
  naming: NamingProfile,
  own: ClusterAuthentication,
  now: number,
): MaintainedObject {
  const namespace = systemNamespace(naming);
  return {
    ...{ group: '', plural: 'configmaps', namespace, name },
    next: (current) => {
      const before = textsOf(current && asJson(current)['data']);
      const data = dataOf(own, before, now);
      if (current && deepEqual(before, data)) return undefined;
      return current ? { ...asJson(current), data } : { metadata: { name, namespace }, data };
    },
  };
}

type Texts = Record<string, string>;

function textsOf(data: JsonValue | undefined): Texts {
  if (!isObject(data)) return {};
  return Object.fromEntries(
    Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function dataOf(
  { clientCa, proxyCa = '', proxies }: ClusterAuthentication,
  before: Texts,
  now: number,
): Texts {
  const client = bundleOf([before['client-ca-file'] ?? '', ...clientCa], now);
  const proxy = bundleOf([before['requestheader-client-ca-file'] ?? '', proxyCa], now);
  const lists = {
    'requestheader-username-headers': proxies.usernames,
    ...(proxies.uids && { 'requestheader-uid-headers': proxies.uids }),
    'requestheader-group-headers': proxies.groups,
    'requestheader-extra-headers-prefix': proxies.extraPrefixes,
    'requestheader-allowed-names': proxies.allowedNames,
  };
  const merged = Object.entries(lists).map(([key, list]) => {
    const all = new Set([...listIn(before[key]), ...(proxyCa === '' ? [] : list)]);
    return [key, JSON.stringify([...all])] as const;
  });
  return {
    ...(client !== '' && { 'client-ca-file': client }),
    ...(proxy !== '' && { 'requestheader-client-ca-file': proxy, ...Object.fromEntries(merged) }),
  };
}

function listIn(text = '[]'): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}

/** The certificates of bundles, each once. */
function bundleOf(bundles: readonly string[], now: number): string {
  const blocks = bundles.flatMap((text) => text.match(block) ?? []);
  const byBytes = new Map(blocks.flatMap((text) => validAt(text, now)));
  return [...byBytes.values()].map((text) => `${text}\n`).join('');
}

function validAt(text: string, now: number): [string, string][] {
  try {
    return readCertificates(text)
      .filter(({ validToDate }) => validToDate.getTime() + graceMs > now)
      .map(({ raw }) => [raw.toString('base64'), text]);
  } catch {
    return [];
  }
}
