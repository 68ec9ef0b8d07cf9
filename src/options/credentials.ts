/**
 * Credentials of the service and of its clients, as read from files, and the access to etcd. Plain data, so that it
 * can be sent to worker processes.
 */
import type { ConfiguredAuthentication } from '../authn/oidc/issuer-rules.ts';
import type { PackedAccounts } from '../authn/packed-accounts.ts';
import type { ServerTls } from '../http/server.ts';
import type { EncryptionRule } from '../storage/encryption/rules.ts';
import type { EtcdTls, StorageOptions } from '../storage/options.ts';
import type { ConfiguredWebhook } from '../webhook/webhook-client.ts';
import type { StructuredAuthorization } from './authorization-file.ts';
import type { ServiceAccountCredentials } from './authentication/service-account-credentials.ts';
import type { NodeAgentCredentials } from './node-agent-options.ts';

/** Serving certificate and client credentials; reloaded while the service runs. Plain data. */
export interface Credentials {
  readonly tls: ServerTls;
  /** undefined without `--token-auth-file`. */
  readonly tokens: PackedAccounts | undefined;
  readonly accounts: ServiceAccountCredentials;
  /** CA bundle of authenticating proxies (PEM); undefined if there are no proxies. */
  readonly proxyCa: string | undefined;
  /** CA bundle of the OpenID provider (PEM); undefined for the root CAs of the host. */
  readonly oidcCa: string | undefined;
  /** undefined without `--basic-auth-file`. */
  readonly passwords: PackedAccounts | undefined;
  /** Issuers of tokens and anonymous requests; undefined without `--authentication-config`. */
  readonly structuredAuthentication: ConfiguredAuthentication | undefined;
  /** Authorizers in order; undefined without `--authorization-config`. */
  readonly structuredAuthorization: StructuredAuthorization | undefined;
  readonly webhooks: WebhookAccesses;
  /** How values are encrypted in etcd, with the keys; undefined without `--encryption-provider-config`. */
  readonly encryption: readonly EncryptionRule[] | undefined;
  /** Towards the etcd clusters that the service does not start; undefined without `--etcd-cafile`. */
  readonly etcdTls: EtcdTls | undefined;
  /** Towards the etcd that the service starts; undefined if it starts none. */
  readonly ownEtcdTls: EtcdTls | undefined;
  readonly nodeAgents: NodeAgentCredentials;
  /** Client certificate for servers of aggregated APIs; undefined without `--proxy-client-cert-file`. */
  readonly proxyClient: ClientCertificate | undefined;
}

/** A client certificate and its key, PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Addresses and credentials of webhooks; undefined if not configured. */
export interface WebhookAccesses {
  readonly authentication: ConfiguredWebhook | undefined;
  readonly authorization: ConfiguredWebhook | undefined;
  readonly audit: ConfiguredWebhook | undefined;
}

/** Endpoints of an etcd cluster, and credentials that are for it alone and never change. */
export type EtcdEndpoints = Pick<StorageOptions, 'endpoints' | 'addressFile' | 'tls'>;

/** A cluster with the objects of some resources. */
export interface OverrideAccess extends EtcdEndpoints {
  readonly collections: readonly string[];
}

/** Where etcd is. Plain data. */
export interface EtcdAccess extends EtcdEndpoints {
  /** `--etcd-servers-overrides`. */
  readonly overrides: readonly OverrideAccess[];
}
