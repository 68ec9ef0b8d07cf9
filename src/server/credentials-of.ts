/** The credentials of a replica: what files of flags have, and a PKI for the rest. */
import { clientCertificateOf } from '../options/aggregation-options.ts';
import { serviceAccountCredentials } from '../options/authentication/service-account-credentials.ts';
import type { ConfiguredFiles } from '../options/complete-config.ts';
import type { Credentials } from '../options/credentials.ts';
import type { PemPair } from '../pki/types.ts';

/** What a replica takes of a PKI; PEM. */
export interface ReplicaPki {
  /** Certificate of the authority of servers and users. */
  readonly ca: string;
  readonly server: PemPair;
  /** Signs service account tokens. */
  readonly tokenKey: string;
}

/**
 * The configured certificate and CA bundles; if the PKI is used, its CA also verifies clients.
 * @param pki undefined only if a serving certificate is configured
 * @throws TypeError if there is neither
 */
export function credentialsOf(files: ConfiguredFiles, pki: ReplicaPki | undefined): Credentials {
  const { serving, clientCa, namedCertificates: named } = files;
  const given = givenCredentials(files);
  if (serving !== undefined) {
    const [cert, key] = [serving.cert.toString('utf8'), serving.key.toString('utf8')];
    const accounts = serviceAccountCredentials(files.authentication, { keys: [key], rootCa: cert });
    return { tls: { cert, key, named, clientCa }, accounts, ...given };
  }
  if (pki === undefined) throw new TypeError('without a serving certificate a PKI is needed');
  const { ca, server, tokenKey } = pki;
  const accounts = serviceAccountCredentials(files.authentication, { keys: [tokenKey], rootCa: ca });
  const tls = { cert: server.certificate, key: server.key, named, clientCa: clientCa ?? ca };
  return { tls, accounts, ...given };
}

/** Credentials that only flags can configure. */
function givenCredentials(files: ConfiguredFiles): Omit<Credentials, 'tls' | 'accounts'> {
  const { proxyCa, oidcCa, passwords, webhook: authentication } = files.authentication;
  return {
    tokens: files.tokens,
    ...{ proxyCa, oidcCa, passwords },
    proxyClient: files.proxyClient && clientCertificateOf(files.proxyClient),
    structuredAuthentication: files.structuredAuthentication,
    structuredAuthorization: files.structuredAuthorization,
    etcdTls: files.etcdTls,
    ownEtcdTls: undefined,
    nodeAgents: files.nodeAgents,
    webhooks: { authentication, authorization: files.authorizationWebhook, audit: files.audit.webhook },
    encryption: files.encryption,
  };
}
