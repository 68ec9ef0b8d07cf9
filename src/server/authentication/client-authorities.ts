/** Authorities of client certificates, those of users and those of proxies, which may change while the service runs. */
import type { X509Certificate } from 'node:crypto';
import { readCertificates } from '../../authn/certificate-chain.ts';
import type { ServerTls } from '../../http/server.ts';
import type { Fault } from '../faults.ts';
import type { ProxyConfig } from './config.ts';

export class ClientAuthorities {
  private proxyCa: string | undefined;
  private users: readonly X509Certificate[];

  /** @param proxyCa PEM; undefined: there are no proxies */
  constructor(tls: ServerTls, proxyCa: string | undefined) {
    this.proxyCa = proxyCa;
    this.users = ofUsers(tls);
  }

  ofUsers(): readonly X509Certificate[] {
    return this.users;
  }

  ofProxies(): readonly X509Certificate[] {
    return readCertificates(this.proxyCa ?? '');
  }

  /** Takes these for those that count from now on. */
  use(tls: ServerTls, proxyCa: string | undefined): void {
    this.users = ofUsers(tls);
    this.proxyCa = proxyCa;
  }

  /** With all authorities that TLS has to ask clients for. */
  listening(tls: ServerTls): ServerTls {
    const all = [...pemTexts(tls), ...(this.proxyCa === undefined ? [] : [this.proxyCa])];
    return { ...tls, clientCa: all.length === 0 ? undefined : all };
  }
}

function ofUsers(tls: ServerTls): readonly X509Certificate[] {
  return pemTexts(tls).flatMap(readCertificates);
}

function pemTexts({ clientCa = [] }: ServerTls): readonly string[] {
  return typeof clientCa === 'string' ? [clientCa] : clientCa;
}

/** Where an authority certifies both users and proxies, every user could pass for a proxy and thus for everybody. */
export function sharedAuthorityFaults(
  { allowedNames }: ProxyConfig,
  [userCa = '', proxyCa = '']: readonly [string | undefined, string | undefined],
): Fault[] {
  const users = new Set(readCertificates(userCa).map(({ fingerprint256 }) => fingerprint256));
  const isShared = readCertificates(proxyCa).some(({ fingerprint256 }) => users.has(fingerprint256));
  if (!isShared || allowedNames.length > 0) return [];
  const cause = '--client-ca-file and --requestheader-client-ca-file share an authority';
  const remedy = 'use one for proxies alone, or name the proxies by --requestheader-allowed-names';
  return [{ code: 'FLAG_COMBINATION', cause, remedy }];
}
