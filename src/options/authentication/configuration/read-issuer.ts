/** The section `issuer`: where tokens come from, and whom they are meant for. */
import { X509Certificate } from 'node:crypto';
import type { IssuerRules } from '../../../authn/oidc/issuer-rules.ts';
import type { JsonObject } from '../../../base/json.ts';
import { isWholePem } from '../../../base/whole-pem.ts';
import { addDuplicates, addInvalid, addProblem, addRequired, objectAt } from '../../placed-problems.ts';
import { at, type Placed, type YamlFile } from '../../yaml-file.ts';
import type { AuthenticationFileRules } from './file-rules.ts';

type Issuer = Pick<IssuerRules, 'issuer' | 'discoveryUrl' | 'ca' | 'audiences'>;

const discoverySince = 30;
const egressSince = 34;

/** Errors are added to those of the file. */
export function readIssuer(file: YamlFile, jwt: Placed<JsonObject>, rules: AuthenticationFileRules): Issuer {
  const given = objectAt(file, jwt, 'issuer');
  if (!given) addRequired(file, jwt, 'issuer');
  const issuer = given ?? { value: {}, path: at(jwt.path, 'issuer') };
  const { minor, ownIssuers } = rules;
  const known = ['url', 'certificateAuthority', 'audiences'];
  file.known(issuer, [
    ...known,
    ...(minor >= discoverySince ? ['discoveryURL', 'audienceMatchPolicy'] : []),
    ...(minor >= egressSince ? ['egressSelectorType'] : []),
  ]);
  const url = file.text(issuer, 'url');
  if (url === '') addRequired(file, issuer, 'url', 'URL is required');
  else checkUrl(file, issuer, 'url');
  if (ownIssuers.includes(url)) {
    const detail = `URL must not overlap with disallowed issuers: ${ownIssuers.join(', ')}`;
    addInvalid(file, issuer, 'url', { value: url, detail });
  }
  if ((issuer.value['egressSelectorType'] ?? '') !== '')
    addProblem(
      file,
      issuer,
      'egressSelectorType',
      'Forbidden: this server has no egress selectors and reaches issuers directly, leave it out',
    );
  return {
    issuer: url,
    discoveryUrl: readDiscoveryUrl(file, issuer, url),
    ca: readAuthorities(file, issuer),
    audiences: readAudiences(file, issuer, minor),
  };
}

/** Keys must come by TLS from exactly one address. */
function checkUrl(file: YamlFile, issuer: Placed<JsonObject>, name: 'url' | 'discoveryURL'): void {
  const value = file.text(issuer, name);
  const url = URL.parse(value);
  const invalid = (detail: string): void =>
    addInvalid(file, issuer, name, { value: withoutUser(value), detail });
  if (url === null) {
    invalid('must be a URL');
    return;
  }
  if (url.protocol !== 'https:') invalid('URL scheme must be https');
  if (url.username !== '' || url.password !== '') invalid('URL must not contain a username or password');
  if (value.includes('?')) invalid('URL must not contain a query');
  if (value.includes('#')) invalid('URL must not contain a fragment');
}

/** Passwords are in no message. */
function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//…@');
}

function readDiscoveryUrl(file: YamlFile, issuer: Placed<JsonObject>, url: string): string {
  const discoveryUrl = file.text(issuer, 'discoveryURL');
  if (discoveryUrl === '') return '';
  if (url !== '' && discoveryUrl.replace(/\/$/, '') === url.replace(/\/$/, ''))
    addInvalid(file, issuer, 'discoveryURL', {
      value: withoutUser(discoveryUrl),
      detail: 'discoveryURL must be different from URL',
    });
  checkUrl(file, issuer, 'discoveryURL');
  return discoveryUrl;
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g;

function readAuthorities(file: YamlFile, issuer: Placed<JsonObject>): string {
  const pem = file.text(issuer, 'certificateAuthority');
  if (pem === '') return '';
  const blocks = pem.match(pemBlock) ?? [];
  if (blocks.length > 0 && blocks.every(isCertificate) && isWholePem(pem)) return pem;
  const detail = 'Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates';
  addProblem(file, issuer, 'certificateAuthority', detail);
  return '';
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== '';
  } catch {
    return false;
  }
}

function readAudiences(file: YamlFile, issuer: Placed<JsonObject>, minor: number): string[] {
  const audiences = file.texts(issuer, 'audiences');
  if (audiences.length === 0) addRequired(file, issuer, 'audiences', 'at least one audience is required');
  const place = (index: number): readonly [Placed<unknown>, string] => [
    issuer,
    `audiences[${String(index)}]`,
  ];
  for (const [index] of audiences.entries())
    if (audiences[index] === '') addRequired(file, ...place(index), 'audience can not be empty');
  addDuplicates(file, audiences, place);
  const policy = file.text(issuer, 'audienceMatchPolicy');
  if (minor < discoverySince && audiences.length > 1)
    addProblem(file, issuer, 'audiences', `Too many: ${String(audiences.length)}: must have at most 1 items`);
  if (audiences.length > 1 && policy !== 'MatchAny')
    addInvalid(file, issuer, 'audienceMatchPolicy', {
      value: policy,
      detail: 'audienceMatchPolicy must be MatchAny for multiple audiences',
    });
  else if (policy !== '' && policy !== 'MatchAny')
    addInvalid(file, issuer, 'audienceMatchPolicy', {
      value: policy,
      detail: 'audienceMatchPolicy must be empty or MatchAny for single audience',
    });
  return audiences;
}
