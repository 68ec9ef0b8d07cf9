/** Puts the authenticators together: which there are is a matter of flags, how they are asked that of `src/authn/union.ts`. */
import { getCACertificates } from 'node:tls';
import { createBasicAuthenticator } from '../../authn/basic.ts';
import { createBootstrapTokenAuthenticator } from '../../authn/bootstrap-token.ts';
import { createClientCertificateAuthenticator } from '../../authn/client-certificate.ts';
import { createOidcAuthenticator } from '../../authn/oidc/authenticator.ts';
import { OidcProvider } from '../../authn/oidc/provider.ts';
import { ReplaceableAuthenticator } from '../../authn/replaceable.ts';
import { createRequestHeaderAuthenticator } from '../../authn/request-header.ts';
import { createServiceAccountAuthenticator } from '../../authn/service-account/authenticator.ts';
import { defaultIssuer } from '../../authn/service-account/claims.ts';
import { TokenIssuer } from '../../authn/service-account/issuer.ts';
import { readSigningKey, readVerificationKeys } from '../../authn/service-account/keys.ts';
import { createTokenFileAuthenticator } from '../../authn/token-file.ts';
import type { Authenticator } from '../../authn/types.ts';
import { createWebhookTokenAuthenticator } from '../../authn/webhook/authenticator.ts';
import { createRequestAuthenticator } from '../../authn/union.ts';
import type { ApiHandlerDeps } from '../../http/api-handler.ts';
import type { ServerTls } from '../../http/server.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { Logger } from '../../observe/log.ts';
import type { Storage } from '../../storage/types.ts';
import type { CompletedConfig } from '../complete.ts';
import type { Credentials } from '../serving.ts';
import { WebhookClient } from '../webhook-client.ts';
import { createBootstrapSecrets } from './bootstrap-secrets.ts';
import { ClientAuthorities } from './client-authorities.ts';
import type { ProxyConfig } from './config.ts';
import { createTokenObjects } from './token-objects.ts';

export interface Authentication {
  /** Knows every client, whatever it proves its identity with. */
  readonly authenticator: Authenticator;
  /** Makes tokens of service accounts; undefined: there is no key to sign them with. */
  readonly tokens: TokenIssuer | undefined;
  /** What the HTTP room has to know of it. */
  readonly http: Pick<ApiHandlerDeps, 'authenticator' | 'proxyHeaders' | 'takesPasswords'>;
  /** Takes these authorities and tokens for those that count from now on. */
  use(credentials: Pick<Credentials, 'tls' | 'tokens'>): void;
  /** With all authorities that TLS has to ask clients for. */
  listeningTls(tls: ServerTls): ServerTls;
  /** Ends connections to others. */
  close(): void;
}

export interface AuthenticationParts {
  readonly credentials: Credentials;
  readonly naming: NamingProfile;
  readonly storage: Pick<Storage, 'peek' | 'get'>;
  readonly logger: Logger;
}

export function buildAuthentication(config: CompletedConfig, parts: AuthenticationParts): Authentication {
  const owned = new DisposableStack();
  const { proxies } = config.authentication;
  const { proxyCa, passwords } = config.files.authentication;
  const authorities = new ClientAuthorities(parts.credentials.tls, proxyCa);
  const tokenFile = new ReplaceableAuthenticator(tokenFileAuthenticator(parts.credentials.tokens));
  const { audiences, issuer } = identityOfService(config, parts.naming);
  const authenticators = [
    ...(proxyCa === undefined ? [] : [proxy(proxies, authorities)]),
    createClientCertificateAuthenticator(
      proxyCa === undefined ? {} : { authorities: () => authorities.ofUsers() },
    ),
    ...(passwords === undefined ? [] : [createBasicAuthenticator(passwords)]),
    // Before the file: digesting a long token for it would cost more than looking at its beginning here.
    serviceAccounts(config, parts),
    tokenFile,
    ...(config.authentication.bootstrapTokens ? [bootstrapTokens(parts)] : []),
    ...openId(config, parts.logger, owned),
    ...tokenWebhook(config, { audiences, naming: parts.naming, owned }),
  ];
  const { signingKey } = parts.credentials.accounts;
  const key = signingKey === undefined ? undefined : readSigningKey(signingKey);
  const { anonymousAuth: allowAnonymous } = config;
  const authenticator = createRequestAuthenticator({ authenticators, audiences, allowAnonymous });
  return {
    authenticator,
    tokens: key && new TokenIssuer({ key, naming: parts.naming, issuer, audiences }),
    http: {
      authenticator,
      proxyHeaders: proxyCa === undefined ? undefined : proxies,
      takesPasswords: passwords !== undefined,
    },
    use: ({ tls, tokens }) => {
      authorities.use(tls);
      tokenFile.replace(tokenFileAuthenticator(tokens));
    },
    listeningTls: (tls) => authorities.listening(tls),
    close: () => {
      owned.dispose();
    },
  };
}

function proxy(proxies: ProxyConfig, authorities: ClientAuthorities): Authenticator {
  return createRequestHeaderAuthenticator({ ...proxies, authorities: authorities.ofProxies() });
}

/** No file knows no token. */
function tokenFileAuthenticator(text = ''): Authenticator {
  return createTokenFileAuthenticator(text);
}

/** Who issues bound tokens here, and whom they have to be meant for. */
function identityOfService(
  { authentication: { audiences, serviceAccounts: accounts } }: CompletedConfig,
  naming: NamingProfile,
): { readonly issuer: string; readonly audiences: readonly string[] } {
  const issuer = accounts.issuer || defaultIssuer(naming);
  return { issuer, audiences: audiences.length > 0 ? audiences : [issuer] };
}

function serviceAccounts(config: CompletedConfig, parts: AuthenticationParts): Authenticator {
  const { credentials, naming, storage } = parts;
  return createServiceAccountAuthenticator({
    keys: credentials.accounts.verificationKeys.flatMap(readVerificationKeys),
    naming,
    ...identityOfService(config, naming),
    lookup: config.authentication.serviceAccounts.lookup,
    objects: createTokenObjects(storage),
  });
}

function bootstrapTokens({ naming, storage }: AuthenticationParts): Authenticator {
  return createBootstrapTokenAuthenticator({ naming, secrets: createBootstrapSecrets(storage, naming) });
}

/** None where no issuer is named. The provider's keys are fetched from now on. */
function openId(config: CompletedConfig, root: Logger, owned: DisposableStack): Authenticator[] {
  const { oidc } = config.authentication;
  if (!oidc) return [];
  const { oidcCa } = config.files.authentication;
  const logger = root.child({ room: 'authn' });
  const provider = new OidcProvider({
    issuer: oidc.issuer,
    ca: oidcCa === undefined ? getCACertificates('system') : [oidcCa],
    warn: (details, message) => {
      logger.warn(message, { ...details });
    },
  });
  void provider.run();
  owned.defer(() => {
    provider.close();
  });
  return [createOidcAuthenticator({ ...oidc, provider })];
}

interface OutwardParts {
  readonly audiences: readonly string[];
  readonly naming: NamingProfile;
  /** Gets the connections to close. */
  readonly owned: DisposableStack;
}

/** None where no file says where it is. */
function tokenWebhook(
  { files, authentication }: CompletedConfig,
  { audiences, naming, owned }: OutwardParts,
): Authenticator[] {
  const access = files.authentication.webhook;
  if (!access) return [];
  const client = new WebhookClient(access);
  owned.defer(() => {
    client.close();
  });
  const { version, cacheMs } = authentication.webhook;
  const apiVersion = `authentication.${naming.apiDomain}/${version}`;
  const ask = client.ask.bind(client);
  return [createWebhookTokenAuthenticator({ ask, apiVersion, audiences, cacheMs })];
}
