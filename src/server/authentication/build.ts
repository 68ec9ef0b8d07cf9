/** Puts the authenticators together: which there are is a matter of flags, how they are asked that of `src/authn/union-authenticator.ts`. */
import { getCACertificates } from 'node:tls';
import { createBasicAuthenticator } from '../../authn/basic.ts';
import { createBootstrapTokenAuthenticator } from '../../authn/bootstrap-token.ts';
import { createClientCertificateAuthenticator } from '../../authn/client-certificate.ts';
import { createOidcAuthenticator } from '../../authn/oidc/oidc-authenticator.ts';
import { OidcProvider } from '../../authn/oidc/oidc-provider.ts';
import { ReplaceableAuthenticator } from '../../authn/reloadable-authenticator.ts';
import { createRequestHeaderAuthenticator } from '../../authn/request-header.ts';
import type { TokenIssuer } from '../../authn/service-account/token-issuer.ts';
import { createTokenFileAuthenticator } from '../../authn/token-file.ts';
import type { Authenticator } from '../../authn/types.ts';
import { createWebhookTokenAuthenticator } from '../../authn/webhook/webhook-authenticator.ts';
import { createRequestAuthenticator } from '../../authn/union-authenticator.ts';
import type { ApiHandlerDeps } from '../../http/api-handler.ts';
import type { ServerTls } from '../../http/server.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { HistogramFamily } from '../../observe/metric-series.ts';
import type { Logger } from '../../observe/log.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { Storage } from '../../storage/types.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import type { Credentials } from '../../options/credentials.ts';
import { WebhookClient, type WebhookAccess } from '../../webhook/webhook-client.ts';
import { createBootstrapSecrets } from './bootstrap-secrets.ts';
import { ClientAuthorities } from './client-authorities.ts';
import type { ProxyConfig } from '../../options/authentication/authentication-config.ts';
import { ServiceAccounts } from './service-accounts.ts';

export interface Authentication {
  /** Knows every client, whatever it proves its identity with. */
  readonly authenticator: Authenticator;
  /** Knows clients by their certificates alone, for which it needs no state. */
  readonly certificates: Authenticator;
  /** Makes tokens of service accounts; undefined: there is no key to sign them with. */
  readonly tokens: TokenIssuer | undefined;
  /** What the HTTP room has to know of it. */
  readonly http: Pick<ApiHandlerDeps, 'authenticator' | 'proxyHeaders' | 'takesPasswords' | 'plainRoutes'>;
  /** Takes these for those that count from now on. What there was not at the start is not there later, either. */
  use(credentials: Credentials): void;
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
  readonly serverMetrics: Pick<ServerMetrics, 'clientCertificateExpiration'>;
}

export function buildAuthentication(config: CompletedConfig, parts: AuthenticationParts): Authentication {
  const owned = new DisposableStack();
  const { proxies } = config.authentication;
  const { proxyCa, passwords, webhooks } = parts.credentials;
  const authorities = new ClientAuthorities(parts.credentials.tls, proxyCa);
  const proxy = new ReplaceableAuthenticator(proxyAuthenticator(proxies, authorities));
  const basic = new ReplaceableAuthenticator(createBasicAuthenticator(passwords ?? []));
  const tokenFile = new ReplaceableAuthenticator(
    createTokenFileAuthenticator(parts.credentials.tokens ?? []),
  );
  const openId = createOpenId(config, parts, owned);
  const webhook = createWebhook(webhooks.authentication, owned);
  const { naming, storage } = parts;
  const materials = parts.credentials.accounts;
  const accounts = new ServiceAccounts(config.authentication, { materials, naming, storage });
  const { audiences } = accounts;
  const certificates = clientCertificates(authorities, parts.serverMetrics.clientCertificateExpiration);
  const authenticators = [
    ...(proxyCa === undefined ? [] : [proxy]),
    certificates,
    ...(passwords === undefined ? [] : [basic]),
    // Before the file: digesting a long token for it would cost more than looking at its beginning here.
    accounts.authenticator,
    tokenFile,
    ...(config.authentication.bootstrapTokens ? [bootstrapTokens(parts)] : []),
    ...(openId ? [openId.authenticator] : []),
    ...(webhook ? [webhookAuthenticator(config, { client: webhook, audiences, naming })] : []),
  ];
  const { anonymousAuth: allowAnonymous } = config;
  const authenticator = createRequestAuthenticator({ authenticators, audiences, allowAnonymous });
  return {
    authenticator,
    certificates: createRequestAuthenticator({ authenticators: [certificates], allowAnonymous }),
    tokens: accounts.tokens,
    http: {
      authenticator,
      proxyHeaders: proxyCa === undefined ? undefined : proxies,
      takesPasswords: passwords !== undefined,
      plainRoutes: accounts.routes(),
    },
    use: (next) => {
      authorities.use(next.tls, next.proxyCa);
      proxy.replace(proxyAuthenticator(proxies, authorities));
      basic.replace(createBasicAuthenticator(next.passwords ?? []));
      tokenFile.replace(createTokenFileAuthenticator(next.tokens ?? []));
      accounts.use(next.accounts);
      openId?.trust(next.oidcCa);
      if (next.webhooks.authentication) webhook?.use(next.webhooks.authentication);
    },
    listeningTls: (tls) => authorities.listening(tls),
    close: () => {
      owned.dispose();
    },
  };
}

function proxyAuthenticator(proxies: ProxyConfig, authorities: ClientAuthorities): Authenticator {
  return createRequestHeaderAuthenticator({ ...proxies, authorities: authorities.ofProxies() });
}

function clientCertificates(authorities: ClientAuthorities, expiration: HistogramFamily): Authenticator {
  const cell = expiration.series();
  return createClientCertificateAuthenticator({
    authorities: () => authorities.ofUsers(),
    onAccepted: (secondsLeft) => {
      cell.observe(secondsLeft);
    },
  });
}

function bootstrapTokens({ naming, storage }: AuthenticationParts): Authenticator {
  return createBootstrapTokenAuthenticator({ naming, secrets: createBootstrapSecrets(storage, naming) });
}

interface OpenId {
  readonly authenticator: Authenticator;
  /** @param ca authorities of the provider's certificate (PEM); undefined: those of the host */
  trust(ca: string | undefined): void;
}

/** undefined where no issuer is named. The provider's keys are fetched from now on. */
function createOpenId(
  config: CompletedConfig,
  { credentials, logger: root }: AuthenticationParts,
  owned: DisposableStack,
): OpenId | undefined {
  const { oidc } = config.authentication;
  if (!oidc) return undefined;
  const logger = root.child({ room: 'authn' });
  const provider = new OidcProvider({
    issuer: oidc.issuer,
    ca: authoritiesOf(credentials.oidcCa),
    warn: (details, message) => {
      logger.warn(message, { ...details });
    },
  });
  void provider.run();
  owned.defer(() => {
    provider.close();
  });
  return {
    authenticator: createOidcAuthenticator({ ...oidc, provider }),
    trust: (ca) => {
      provider.trust(authoritiesOf(ca));
    },
  };
}

function authoritiesOf(ca: string | undefined): readonly string[] {
  return ca === undefined ? getCACertificates('system') : [ca];
}

/** undefined where no file says where it is. */
function createWebhook(access: WebhookAccess | undefined, owned: DisposableStack): WebhookClient | undefined {
  if (!access) return undefined;
  const client = new WebhookClient(access);
  owned.defer(() => {
    client.close();
  });
  return client;
}

interface WebhookParts {
  readonly client: WebhookClient;
  readonly audiences: readonly string[];
  readonly naming: NamingProfile;
}

function webhookAuthenticator(
  { authentication }: CompletedConfig,
  { client, audiences, naming }: WebhookParts,
): Authenticator {
  const { version, cacheMs } = authentication.webhook;
  const apiVersion = `authentication.${naming.apiDomain}/${version}`;
  const sendReview = client.sendReview.bind(client);
  return createWebhookTokenAuthenticator({ sendReview, apiVersion, audiences, cacheMs });
}
