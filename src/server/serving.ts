/** Serving, whether by one process or by several: what it takes and what it gives. */
import type { ServerTls } from '../http/server.ts';
import type { NumberFamily } from '../observe/cells.ts';
import type { RootLogger } from '../observe/log.ts';
import type { StorageOptions } from '../storage/options.ts';
import type { ConfiguredWebhook } from './webhook-client.ts';
import type { AccountMaterials } from './authentication/account-materials.ts';

/** Who the service is to its clients and how it knows them; may change while it serves. Plain data. */
export interface Credentials {
  readonly tls: ServerTls;
  /** The text of the token file; undefined: there is none. */
  readonly tokens: string | undefined;
  readonly accounts: AccountMaterials;
  /** Authorities of authenticating proxies (PEM); undefined: there are no proxies. */
  readonly proxyCa: string | undefined;
  /** Authorities of the OpenID provider's certificate (PEM); undefined: those of the host. */
  readonly oidcCa: string | undefined;
  /** The text of the password file; undefined: there is none. */
  readonly passwords: string | undefined;
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

export interface ServingParts {
  readonly credentials: Credentials;
  readonly etcd: EtcdAccess;
  readonly logger: RootLogger;
  /** Calls the start off. */
  readonly signal: AbortSignal;
  /** Gets what has to be stopped, in reverse order. */
  readonly owned: AsyncDisposableStack;
}

export interface Serving {
  readonly port: number;
  /** Takes other credentials for new connections and requests. */
  use(credentials: Credentials): void;
  /** Counts files that were read again. */
  readonly fileReloads: NumberFamily;
}
