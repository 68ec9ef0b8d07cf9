/** Builds the authenticators that are configured; `src/authn/union-authenticator.ts` combines them. */
import type { TokenUses } from './token-uses.ts';
import { BasicAuthenticator } from '../../authn/basic.ts';
import { createBootstrapTokenAuthenticator } from '../../authn/bootstrap-token.ts';
import { createClientCertificateAuthenticator } from '../../authn/client-certificate.ts';
import { identityOf } from '../../authn/oidc/identity.ts';
import { createOidcAuthenticator } from '../../authn/oidc/oidc-authenticator.ts';
import { OidcProvider } from '../../authn/oidc/oidc-provider.ts';
import { ReloadableAuthenticator } from '../../authn/reloadable-authenticator.ts';
import { createRequestHeaderAuthenticator } from '../../authn/request-header.ts';
import type { TokenIssuer } from '../../authn/service-account/token-issuer.ts';
import { TokenFileAuthenticator } from '../../authn/token-file.ts';
import type { Authenticator } from '../../authn/types.ts';
import { createWebhookTokenAuthenticator } from '../../authn/webhook/webhook-authenticator.ts';
import { createRequestAuthenticator, type OnUndecided } from '../../authn/union-authenticator.ts';
import type { PassiveClock } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { systemAuthorities } from '../../base/system-authorities.ts';
import type { ApiHandlerDeps } from '../../http/api-handler.ts';
import type { ServerTls } from '../../http/server.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { countRequests, type ClientFamilies } from '../../observe/client-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import { RepeatedLines } from '../../observe/repeated-lines.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import { isAtLeast, type Release } from '../../observe/release.ts';
import type { Storage } from '../../storage/types.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import type { Credentials } from '../../options/credentials.ts';
import { WebhookClient, type WebhookAccess } from '../../webhook/webhook-client.ts';
import { createBootstrapSecrets } from './bootstrap-secrets.ts';
import { ClientAuthorities } from './client-authorities.ts';
import type { ProxyConfig } from '../../options/authentication/authentication-config.ts';
import { ServiceAccounts } from './build-service-accounts.ts';
import { observeTokens, StructuredAuthentication } from './structured-authentication.ts';

export interface Authentication {
  /** Authenticates clients with any credentials. */
  readonly authenticator: Authenticator;
  /** Authenticates clients by certificate only, without the state. */
  readonly certificates: Authenticator;
  /** Issues service account tokens; undefined without a signing key. */
  readonly tokens: TokenIssuer | undefined;
  /** Dependencies of the HTTP handler. */
  readonly http: Pick<ApiHandlerDeps, 'authenticator' | 'proxyHeaders' | 'takesPasswords' | 'plainRoutes'>;
  /** Replaces the credentials. Authenticators that were not configured at start are not added. */
  use(credentials: Credentials): void;
  /** Adds all CA bundles for client certificates. */
  listeningTls(tls: ServerTls): ServerTls;
  /** Closes outgoing connections. */
  close(): void;
}

export interface AuthenticationParts {
  readonly environment: Environment;
  readonly credentials: Credentials;
  readonly naming: NamingProfile;
  readonly storage: Pick<Storage, 'peek' | 'get'>;
  readonly isFeatureEnabled: (gate: string) => boolean;
  /** Records when tokens of Secrets are used. */
  readonly uses?: Pick<TokenUses, 'note'>;
  readonly logger: Logger;
  readonly serverMetrics: Pick<
    ServerMetrics,
    'clientCertificateExpiration' | 'tokenDecisions' | 'secretTokens'
  > &
    ClientFamilies;
}

export function buildAuthentication(config: CompletedConfig, parts: AuthenticationParts): Authentication {
  const owned = new DisposableStack();
  const { proxies } = config.authentication;
  const { environment } = parts;
  const { clock } = environment;
  const { proxyCa, passwords, webhooks } = parts.credentials;
  const authorities = new ClientAuthorities(parts.credentials.tls, proxyCa);
  const proxy = new ReloadableAuthenticator(proxyAuthenticator(proxies, authorities, clock));
  const basic = new BasicAuthenticator(passwords ?? '');
  const tokenFile = new TokenFileAuthenticator(parts.credentials.tokens ?? '');
  const openId = createOpenId(config, parts, owned);
  const structured = new StructuredAuthentication(config, parts);
  owned.defer(() => structured.close());
  const webhook = createWebhook(webhooks.authentication, parts, owned);
  const { naming } = parts;
  const credentials = parts.credentials.accounts;
  const accounts = new ServiceAccounts(config.authentication, { ...environment, ...parts, credentials });
  const { audiences } = accounts;
  const certificates = clientCertificates(authorities, config.emulatedRelease, parts);
  const authenticators = [
    ...(proxyCa === undefined ? [] : [proxy]),
    certificates,
    ...(passwords === undefined ? [] : [basic]),
    // Before the token file: the digest of a long token would cost more than checking its prefix here.
    accounts.authenticator,
    tokenFile,
    ...(config.authentication.bootstrapTokens ? [bootstrapTokens(parts)] : []),
    ...(openId ? [openId.authenticator] : []),
    ...structured.authenticators,
    ...(webhook ? [webhookAuthenticator(config, { client: webhook, audiences, naming, clock })] : []),
  ];
  const { allowsAnonymous } = structured;
  const known = { authenticators, audiences, allowsAnonymous };
  const authenticator = createRequestAuthenticator({ ...known, onUndecided: warnOfUndecided(parts, owned) });
  return {
    authenticator,
    certificates: createRequestAuthenticator({ authenticators: [certificates], allowsAnonymous }),
    tokens: accounts.tokens,
    http: {
      authenticator,
      proxyHeaders: proxyCa === undefined ? undefined : proxies,
      takesPasswords: passwords !== undefined,
      plainRoutes: accounts.routes(),
    },
    use: (next) => {
      authorities.use(next.tls, next.proxyCa);
      proxy.replace(proxyAuthenticator(proxies, authorities, clock));
      void basic.use(next.passwords ?? '');
      void tokenFile.use(next.tokens ?? '');
      accounts.use(next.accounts);
      openId?.trust(next.oidcCa);
      structured.use(next.structuredAuthentication);
      if (next.webhooks.authentication) webhook?.use(next.webhooks.authentication);
    },
    listeningTls: (tls) => authorities.listening(tls),
    close: () => {
      owned.dispose();
    },
  };
}

/** Clients get 401 meanwhile, which only the log explains. */
function warnOfUndecided(
  { environment: { clock }, logger }: AuthenticationParts,
  owned: DisposableStack,
): OnUndecided {
  const child = logger.child({ component: 'authn' });
  const lines = new RepeatedLines({ clock, logger: child, keyOf: ({ reason }) => String(reason) });
  owned.defer(() => lines.close());
  return (reason) => lines.warn('an authenticator could not decide, and was passed over', { reason });
}

function proxyAuthenticator(
  proxies: ProxyConfig,
  authorities: ClientAuthorities,
  clock: PassiveClock,
): Authenticator {
  return createRequestHeaderAuthenticator({ ...proxies, authorities: authorities.ofProxies(), clock });
}

/** The first release whose users of certificates have an extra that names the certificate. */
const firstNamingCertificates: Release = { major: 1, minor: 32 };

function clientCertificates(
  authorities: ClientAuthorities,
  release: Release,
  { serverMetrics, environment, naming, isFeatureEnabled }: AuthenticationParts,
): Authenticator {
  const cell = serverMetrics.clientCertificateExpiration.series();
  const credentialKey = isAtLeast(release, firstNamingCertificates)
    ? `authentication.${naming.labelDomain}/credential-id`
    : undefined;
  return createClientCertificateAuthenticator({
    credentialKey,
    readsUid: isFeatureEnabled('AllowParsingUserUIDFromCertAuth'),
    clock: environment.clock,
    authorities: () => authorities.ofUsers(),
    onAccepted: (secondsLeft) => {
      cell.observe(secondsLeft);
    },
  });
}

function bootstrapTokens({ environment: { clock }, naming, storage }: AuthenticationParts): Authenticator {
  const secrets = createBootstrapSecrets(storage, naming, clock);
  return createBootstrapTokenAuthenticator({ naming, secrets, clock });
}

interface OpenId {
  readonly authenticator: Authenticator;
  /** @param ca CA bundle of the provider (PEM); undefined for the root CAs of the host */
  trust(ca: string | undefined): void;
}

/** undefined if no issuer is configured. Starts fetching the keys of the provider. */
function createOpenId(
  config: CompletedConfig,
  { environment, credentials, logger: root, serverMetrics }: AuthenticationParts,
  owned: DisposableStack,
): OpenId | undefined {
  const { oidc } = config.authentication;
  if (!oidc) return undefined;
  const logger = root.child({ component: 'authn' });
  const provider = new OidcProvider({
    ...environment,
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
    authenticator: createOidcAuthenticator({
      ...{ issuer: oidc.issuer, algorithms: oidc.algorithms, provider, clock: environment.clock },
      identify: (claims) => identityOf(claims, oidc),
      onDecided: observeTokens(serverMetrics)(oidc.issuer),
    }),
    trust: (ca) => {
      provider.trust(authoritiesOf(ca));
    },
  };
}

function authoritiesOf(ca: string | undefined): readonly string[] {
  return ca === undefined ? systemAuthorities() : [ca];
}

/** undefined if no webhook is configured. */
function createWebhook(
  access: WebhookAccess | undefined,
  { serverMetrics, environment }: AuthenticationParts,
  owned: DisposableStack,
): WebhookClient | undefined {
  if (!access) return undefined;
  const client = new WebhookClient(access, { ...environment, onSent: countRequests(serverMetrics) });
  owned.defer(() => {
    client.close();
  });
  return client;
}

interface WebhookParts {
  readonly clock: PassiveClock;
  readonly client: WebhookClient;
  readonly audiences: readonly string[];
  readonly naming: NamingProfile;
}

const firstWithoutZeroTime: Release = { major: 1, minor: 34 };

function webhookAuthenticator(
  { authentication, emulatedRelease }: CompletedConfig,
  { client, audiences, naming, clock }: WebhookParts,
): Authenticator {
  const { version, cacheMs } = authentication.webhook;
  const apiVersion = `authentication.${naming.apiDomain}/${version}`;
  const sendReview = client.sendReview.bind(client);
  const writesZeroTime = !isAtLeast(emulatedRelease, firstWithoutZeroTime);
  const form = { apiVersion, writesZeroTime };
  return createWebhookTokenAuthenticator({ sendReview, ...form, audiences, cacheMs, clock });
}
