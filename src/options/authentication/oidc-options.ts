/** OpenID flags → configuration. */
import { signingAlgorithms, type SigningAlgorithm } from '../../authn/jwt.ts';
import type { OidcConfig } from './authentication-config.ts';
import type { AuthenticationFlags } from './authentication-flags.ts';

/** undefined if no provider is configured. */
export function readOidc(flags: AuthenticationFlags): OidcConfig | undefined {
  checkOidc(flags);
  const config = {
    issuer: issuer(flags),
    clientId: flags.text('oidc-client-id'),
    usernameClaim: flags.text('oidc-username-claim'),
    usernamePrefix: flags.text('oidc-username-prefix'),
    groupsClaim: flags.text('oidc-groups-claim'),
    groupsPrefix: flags.text('oidc-groups-prefix'),
    requiredClaims: requiredClaims(flags),
    caFile: flags.text('oidc-ca-file'),
    algorithms: algorithms(flags),
  };
  return config.issuer === '' ? undefined : config;
}

function issuer(flags: AuthenticationFlags): string {
  const text = flags.text('oidc-issuer-url');
  if (text !== '' && !isIssuer(text))
    flags.add(
      `flag --oidc-issuer-url has the value ${JSON.stringify(text)}`,
      'use an https URL without query, and without /.well-known/openid-configuration',
    );
  return text;
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return false;
  return !/[?#]/.test(text) && !text.includes('/.well-known/openid-configuration');
}

function requiredClaims(flags: AuthenticationFlags): Record<string, string> {
  const claims: Record<string, string> = {};
  for (const text of flags.list('oidc-required-claim')) {
    const [, key, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (key !== undefined) claims[key] = value;
    else flags.add(`flag --oidc-required-claim has the value ${JSON.stringify(text)}`, 'give claim=value');
  }
  return claims;
}

function algorithms(flags: AuthenticationFlags): SigningAlgorithm[] {
  const words = flags.list('oidc-signing-algs');
  const known: readonly string[] = signingAlgorithms;
  for (const word of words.filter((w) => !known.includes(w)))
    flags.add(`flag --oidc-signing-algs names ${JSON.stringify(word)}`, `use ${known.join(', ')}`);
  return signingAlgorithms.filter((algorithm) => words.includes(algorithm));
}

const details = [
  'oidc-client-id',
  'oidc-ca-file',
  'oidc-groups-claim',
  'oidc-groups-prefix',
  'oidc-required-claim',
  'oidc-username-prefix',
] as const;

/** Flags that require each other. */
function checkOidc(flags: AuthenticationFlags): void {
  const [issuer, client] = ['--oidc-issuer-url', '--oidc-client-id'];
  if (flags.isGiven('oidc-issuer-url')) {
    if (!flags.isGiven('oidc-client-id')) flags.together(issuer, client);
    return;
  }
  for (const name of details.filter((detail) => flags.isGiven(detail))) flags.together(`--${name}`, issuer);
}
