/** Credentials of the service and of its clients, as files hold them, and how etcd is reached. Plain data, for other processes too. */
import type { StaticPassword } from '../authn/basic.ts';
import type { StaticToken } from '../authn/token-file.ts';
import type { ServerTls } from '../http/server.ts';
import type { StorageOptions } from '../storage/options.ts';
import type { ConfiguredWebhook } from '../webhook/webhook-client.ts';
import type { AccountMaterials } from './authentication/account-materials.ts';

/** Who the service is to its clients and how it knows them; may change while it serves. Plain data. */
export interface Credentials {
  readonly tls: ServerTls;
  /** Of the token file; undefined: there is none. */
  readonly tokens: readonly StaticToken[] | undefined;
  readonly accounts: AccountMaterials;
  /** Authorities of authenticating proxies (PEM); undefined: there are no proxies. */
  readonly proxyCa: string | undefined;
  /** Authorities of the OpenID provider's certificate (PEM); undefined: those of the host. */
  readonly oidcCa: string | undefined;
  /** Of the password file; undefined: there is none. */
  readonly passwords: readonly StaticPassword[] | undefined;
  readonly webhooks: WebhookAccesses;
}

/** Where webhooks are and who to be there; undefined: there is none. */
export interface WebhookAccesses {
  readonly authentication: ConfiguredWebhook | undefined;
  readonly authorization: ConfiguredWebhook | undefined;
  readonly audit: ConfiguredWebhook | undefined;
}

/** How etcd is reached. Plain data. */
export type EtcdAccess = Pick<StorageOptions, 'endpoints' | 'tls'>;
