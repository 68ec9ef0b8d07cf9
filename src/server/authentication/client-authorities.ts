/** CA bundles of client certificates, of users and of proxies, which are reloaded while the service runs. */
import type { X509Certificate } from 'node:crypto';
import { readCertificates } from '../../authn/certificate-chain.ts';
import type { ServerTls } from '../../http/server.ts';

export class ClientAuthorities {
  private proxyCa: string | undefined;
  private users: readonly X509Certificate[];

  /** @param proxyCa PEM; undefined if there are no proxies */
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

  /** Replaces the CA bundles. */
  use(tls: ServerTls, proxyCa: string | undefined): void {
    this.users = ofUsers(tls);
    this.proxyCa = proxyCa;
  }

  /** Adds all CA bundles for client certificates. */
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
