/** The files that hold credentials, and how each is reloaded while the service runs. */
import { join, resolve } from 'node:path';
import { clientCertificateOf, readProxyClientPair, type AggregationConfig } from './aggregation-options.ts';
import { serviceAccountCredentials } from './authentication/service-account-credentials.ts';
import { sharedAuthorityErrors } from './authentication/shared-authorities.ts';
import type {
  OidcConfig,
  ProxyConfig,
  ServiceAccountConfig,
} from './authentication/authentication-config.ts';
import {
  readAccountKeys,
  readClientCa,
  readOidcCa,
  readPasswords,
  readProxyCa,
  readTokens,
} from './authentication/authentication-files.ts';
import { readAuthenticationFile } from './authentication/configuration/authentication-file.ts';
import { namingProfiles } from '../meta/naming.ts';
import type { CompletedConfig } from './complete-config.ts';
import { modesOf, readAuthorizationFile } from './authorization-file.ts';
import type { AuthorizationMode } from './authorization-options.ts';
import { readEncryptionFile } from './encryption/encryption-options.ts';
import { readEtcdFiles, type EtcdConfig } from './etcd-options.ts';
import type { FileCheck } from './file-check.ts';
import { tokenKeyName } from '../pki/plan.ts';
import type { Credentials, WebhookAccesses } from './credentials.ts';
import { readNamedCertificates, type NamedCertificateConfig } from './named-certificate-options.ts';
import { readNodeAgentFiles, type NodeAgentConfig } from './node-agent-options.ts';
import { readServingPair } from './serving-options.ts';

/** Files that are reloaded together, and how their contents change the credentials. */
export interface CredentialSource {
  /** The flag that names them. */
  readonly flag: string;
  /** The file of the flag itself, where metrics tell of its contents. */
  readonly configuration?: string;
  /** The files of the credentials in use; a file may name further files. */
  readonly files: (current: Credentials) => readonly string[];
  /** undefined, or errors given to `check`: what the files held before stays. */
  readonly read: (check: FileCheck, current: Credentials) => Promise<Credentials | undefined>;
}

/** Flags that are not given default to the files of the data folder's PKI. */
export function sourcesOf(config: CompletedConfig): CredentialSource[] {
  const inPki = (name: string): string => join(resolve(config.dataFolder), 'pki', name);
  const ownsPki = config.files.serving === undefined;
  const cert = config.tlsCertFile || inPki('server.crt');
  const key = config.tlsPrivateKeyFile || inPki('server.key');
  const clientCa = config.clientCaFile || (ownsPki ? inPki('ca.crt') : '');
  const { authentication, authorization, audit, encryption } = config;
  const { proxies, oidc } = authentication;
  return [
    servingSource(cert, key),
    ...namedSources(config),
    ...(clientCa === '' ? [] : [clientCaSource(clientCa, proxies)]),
    ...(config.tokenAuthFile === '' ? [] : [tokenSource(config.tokenAuthFile)]),
    ...(authentication.passwordFile === '' ? [] : [passwordSource(authentication.passwordFile)]),
    ...accountSources(
      accountFiles(authentication.serviceAccounts, ownsPki ? [inPki(`${tokenKeyName}.key`)] : []),
    ),
    ...(proxies.caFile === '' ? [] : [proxyCaSource(proxies)]),
    ...(oidc === undefined || oidc.caFile === '' ? [] : [oidcCaSource(oidc)]),
    ...proxyClientSources(config.aggregation),
    ...etcdSource(config.etcd),
    ...(config.etcd.servers.length === 0 ? [ownEtcdSource(inPki)] : []),
    ...nodeAgentSource(config.nodeAgents),
    ...webhookSource(
      'authentication',
      'authentication-token-webhook-config-file',
      authentication.webhook.configFile,
    ),
    ...webhookSource('authorization', 'authorization-webhook-config-file', authorization.webhook.configFile),
    ...webhookSource('audit', 'audit-webhook-config-file', audit.webhook.configFile),
    ...(encryption.configFile === '' ? [] : [encryptionSource(config)]),
    ...(config.access.authorizationFile === '' ? [] : [authorizationSource(config)]),
    ...(config.access.authenticationFile === '' ? [] : [authenticationSource(config)]),
  ];
}

function servingSource(tlsCertFile: string, tlsPrivateKeyFile: string): CredentialSource {
  return {
    flag: 'tls-cert-file',
    files: () => [tlsCertFile, tlsPrivateKeyFile],
    read: async (check, old) => {
      const pair = await readServingPair({ tlsCertFile, tlsPrivateKeyFile }, check);
      if (pair === undefined) return undefined;
      const [cert, key] = [pair.cert.toString('utf8'), pair.key.toString('utf8')];
      return { ...old, tls: { ...old.tls, cert, key } };
    },
  };
}

/** The pairs of all names are read together: what shows to which client depends on all of them. */
function namedSources(config: NamedCertificateConfig): CredentialSource[] {
  const files = config.namedCertificates.flatMap(({ certFile, keyFile }) => [certFile, keyFile]);
  const read: CredentialSource['read'] = async (check, old) => {
    const named = await readNamedCertificates(config, check);
    return { ...old, tls: { ...old.tls, named } };
  };
  return files.length === 0 ? [] : [{ flag: 'tls-sni-cert-key', files: () => files, read }];
}

/** None if no flag names the files. */
function proxyClientSources(config: AggregationConfig): CredentialSource[] {
  const { proxyClientCertFile, proxyClientKeyFile } = config;
  if (proxyClientCertFile === '') return [];
  const source: CredentialSource = {
    flag: 'proxy-client-cert-file',
    files: () => [proxyClientCertFile, proxyClientKeyFile],
    read: async (check, old) => {
      const pair = await readProxyClientPair(config, check);
      return pair && { ...old, proxyClient: clientCertificateOf(pair) };
    },
  };
  return [source];
}

function clientCaSource(file: string, proxies: ProxyConfig): CredentialSource {
  return {
    flag: 'client-ca-file',
    files: () => [file],
    read: async (check, old) => {
      const clientCa = await readClientCa(file, check);
      if (clientCa === undefined) return undefined;
      check.report(sharedAuthorityErrors(proxies, [clientCa, old.proxyCa]));
      return { ...old, tls: { ...old.tls, clientCa } };
    },
  };
}

function proxyCaSource(proxies: ProxyConfig): CredentialSource {
  return {
    flag: 'requestheader-client-ca-file',
    files: () => [proxies.caFile],
    read: async (check, old) => {
      const proxyCa = await readProxyCa(proxies, check);
      if (proxyCa === undefined) return undefined;
      const userCa = [old.tls.clientCa ?? ''].flat().join('\n');
      check.report(sharedAuthorityErrors(proxies, [userCa, proxyCa]));
      return { ...old, proxyCa };
    },
  };
}

function oidcCaSource(oidc: OidcConfig): CredentialSource {
  return {
    flag: 'oidc-ca-file',
    files: () => [oidc.caFile],
    read: async (check, old) => {
      const oidcCa = await readOidcCa(oidc, check);
      return oidcCa === undefined ? undefined : { ...old, oidcCa };
    },
  };
}

function encryptionSource({ encryption: configured, naming }: CompletedConfig): CredentialSource {
  return {
    flag: 'encryption-provider-config',
    files: () => [configured.configFile],
    read: async (check, old) => {
      const encryption = await readEncryptionFile(configured, namingProfiles[naming], check);
      return encryption === undefined ? undefined : { ...old, encryption };
    },
  };
}

function authenticationSource({ access, authentication, naming }: CompletedConfig): CredentialSource {
  const own = { naming: namingProfiles[naming], issuer: authentication.serviceAccounts.issuer };
  return {
    flag: 'authentication-config',
    configuration: access.authenticationFile,
    files: () => [access.authenticationFile],
    read: async (check, old) => {
      const structuredAuthentication = await readAuthenticationFile(access, own, check);
      return structuredAuthentication && { ...old, structuredAuthentication };
    },
  };
}

function authorizationSource({ access, authorization, naming }: CompletedConfig): CredentialSource {
  const started = plainModes(authorization.modes);
  return {
    flag: 'authorization-config',
    configuration: access.authorizationFile,
    files: ({ structuredAuthorization: current }) => [
      access.authorizationFile,
      ...(current?.authorizers ?? []).flatMap((one) => (one.type === 'Webhook' ? one.access.files : [])),
    ],
    read: async (check, old) => {
      const structuredAuthorization = await readAuthorizationFile(access, namingProfiles[naming], check);
      if (!structuredAuthorization) return undefined;
      if (plainModes(modesOf(structuredAuthorization)) !== started) {
        const cause = 'the authorizers beside webhooks are others than at the start';
        check.report([{ code: 'AUTHORIZATION_INVALID', cause, remedy: 'restore them, or restart' }]);
      }
      return { ...old, structuredAuthorization };
    },
  };
}

function plainModes(modes: readonly AuthorizationMode[]): string {
  return modes
    .filter((mode) => mode !== 'Webhook')
    .sort()
    .join();
}

function tokenSource(file: string): CredentialSource {
  return {
    flag: 'token-auth-file',
    files: () => [file],
    read: async (check, old) => {
      const tokens = await readTokens(file, check, old.tokens);
      return tokens === undefined ? undefined : { ...old, tokens };
    },
  };
}

function passwordSource(file: string): CredentialSource {
  return {
    flag: 'basic-auth-file',
    files: () => [file],
    read: async (check, old) => {
      const passwords = await readPasswords(file, check, old.passwords);
      return passwords === undefined ? undefined : { ...old, passwords };
    },
  };
}

/** Defaults to the keys of the PKI. */
function accountFiles(config: ServiceAccountConfig, ofPki: readonly string[]): ServiceAccountConfig {
  return config.keyFiles.length > 0 ? config : { ...config, keyFiles: ofPki };
}

/** Not reloaded if the TLS key signs tokens: tokens outlive certificates. */
function accountSources(config: ServiceAccountConfig): CredentialSource[] {
  const files = [...config.keyFiles, config.signingKeyFile].filter(Boolean);
  const read: CredentialSource['read'] = async (check, old) => {
    const keys = await readAccountKeys(config, check);
    const { verificationKeys, signingKey, rootCa } = old.accounts;
    const accounts = serviceAccountCredentials({ ...keys, rootCa }, { keys: verificationKeys, rootCa });
    if (signingKey !== undefined && accounts.signingKey === undefined) {
      const cause = 'the reloaded keys of service account tokens include no private key';
      check.report([{ code: 'TOKEN_KEY_INVALID', cause, remedy: 'restore the signing key' }]);
    }
    return { ...old, accounts };
  };
  return files.length === 0 ? [] : [{ flag: 'service-account-key-file', files: () => files, read }];
}

/** CA bundle and client certificate towards etcd. */
function etcdSource(config: EtcdConfig): CredentialSource[] {
  const files = [config.caFile, config.certFile, config.keyFile].filter(Boolean);
  const read: CredentialSource['read'] = async (check, old) => {
    const etcdTls = await readEtcdFiles(config, check);
    return etcdTls && { ...old, etcdTls };
  };
  return files.length === 0 ? [] : [{ flag: 'etcd-certfile', files: () => files, read }];
}

/** The same towards the service's own etcd. */
function ownEtcdSource(inPki: (name: string) => string): CredentialSource {
  const files = { caFile: inPki('etcd-ca.crt'), certFile: inPki('etcd.crt'), keyFile: inPki('etcd.key') };
  return {
    flag: 'etcd-certfile',
    files: () => Object.values(files),
    read: async (check, old) => {
      const ownEtcdTls = await readEtcdFiles(files, check);
      return ownEtcdTls?.cert && { ...old, ownEtcdTls };
    },
  };
}

/** CA bundle and client certificate towards agents of nodes. */
function nodeAgentSource(config: NodeAgentConfig): CredentialSource[] {
  const files = [config.caFile, config.certFile, config.keyFile].filter(Boolean);
  const read: CredentialSource['read'] = async (check, old) => {
    const nodeAgents = await readNodeAgentFiles(config, check);
    const isWhole =
      (config.caFile === '' || nodeAgents.ca !== undefined) &&
      (config.certFile === '' || nodeAgents.cert !== undefined);
    return isWhole ? { ...old, nodeAgents } : undefined;
  };
  return files.length === 0 ? [] : [{ flag: 'kubelet-client-certificate', files: () => files, read }];
}

/** undefined if no flag names a file. */
function webhookSource(name: keyof WebhookAccesses, flag: string, file: string): CredentialSource[] {
  if (file === '') return [];
  const source: CredentialSource = {
    flag,
    files: ({ webhooks }) => webhooks[name]?.files ?? [file],
    read: async (check, old) => {
      const access = await check.webhook(file, `--${flag}`);
      return access && { ...old, webhooks: { ...old.webhooks, [name]: access } };
    },
  };
  return [source];
}
