/** The flags of `serve` that say how clients prove who they are. */
import type { FlagDefinition } from '../flag-definition.ts';
import type { FlagReader } from '../flag-reader.ts';

export const authenticationFlags = [
  {
    name: 'anonymous-auth',
    value: '',
    default: 'true',
    description: 'let requests without credentials in as system:anonymous',
  },
  {
    name: 'client-ca-file',
    value: 'FILE',
    default: '',
    description: 'authorities of client certificates (PEM); CN is the user, each O a group',
  },
  {
    name: 'token-auth-file',
    value: 'FILE',
    default: '',
    description: 'static tokens, CSV: token, user name, user uid, "groups"',
  },
  {
    name: 'api-audiences',
    value: 'NAMES',
    default: '',
    description: 'whom bound tokens must be meant for; none: --service-account-issuer',
    repeatable: true,
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    value: 'DURATION',
    default: '2m',
    description: 'how long what the token webhook decided holds',
  },
  {
    name: 'authentication-token-webhook-config-file',
    value: 'FILE',
    default: '',
    description: 'where the token webhook is and who to be there (kubeconfig); none: there is none',
  },
  {
    name: 'authentication-token-webhook-version',
    value: 'VERSION',
    default: 'v1beta1',
    description: 'version of the TokenReview that the webhook is asked with: v1 or v1beta1',
  },
  {
    name: 'basic-auth-file',
    value: 'FILE',
    default: '',
    description: 'passwords for HTTP basic authentication, CSV: password, user name, user uid, "groups"',
  },
  {
    name: 'enable-bootstrap-token-auth',
    value: '',
    default: 'false',
    description: 'let bootstrap tokens in, which lie in Secrets of the system namespace',
  },
  {
    name: 'oidc-ca-file',
    value: 'FILE',
    default: '',
    description: "authorities of the OpenID provider's certificate (PEM); none: those of the host",
  },
  {
    name: 'oidc-client-id',
    value: 'ID',
    default: '',
    description: 'client that ID tokens must be meant for',
  },
  {
    name: 'oidc-groups-claim',
    value: 'CLAIM',
    default: '',
    description: 'claim of ID tokens that lists groups; none: no groups',
  },
  {
    name: 'oidc-groups-prefix',
    value: 'TEXT',
    default: '',
    description: 'what is put before groups of ID tokens',
  },
  {
    name: 'oidc-issuer-url',
    value: 'URL',
    default: '',
    description: 'OpenID provider whose ID tokens are accepted (https); none: there is none',
  },
  {
    name: 'oidc-required-claim',
    value: 'KEY=VALUE',
    default: '',
    description: 'claim that ID tokens must have',
    repeatable: true,
  },
  {
    name: 'oidc-signing-algs',
    value: 'ALGORITHMS',
    default: 'RS256',
    description: 'algorithms that ID tokens may be signed with',
    repeatable: true,
  },
  {
    name: 'oidc-username-claim',
    value: 'CLAIM',
    default: 'sub',
    description: 'claim of ID tokens that is the user name',
  },
  {
    name: 'oidc-username-prefix',
    value: 'TEXT',
    default: '',
    description:
      'what is put before user names of ID tokens; none: the issuer and # unless the claim is email; -: nothing',
  },
  {
    name: 'requestheader-allowed-names',
    value: 'NAMES',
    default: '',
    description:
      'common names of authenticating proxies; none: all that --requestheader-client-ca-file certifies',
    repeatable: true,
  },
  {
    name: 'requestheader-client-ca-file',
    value: 'FILE',
    default: '',
    description: 'authorities of authenticating proxies (PEM); none: there are no such proxies',
  },
  {
    name: 'requestheader-extra-headers-prefix',
    value: 'PREFIXES',
    default: 'X-Remote-Extra-',
    description: 'beginnings of the headers in which a proxy tells of extra attributes',
    repeatable: true,
  },
  {
    name: 'requestheader-group-headers',
    value: 'NAMES',
    default: 'X-Remote-Group',
    description: 'headers in which a proxy tells the groups',
    repeatable: true,
  },
  {
    name: 'requestheader-username-headers',
    value: 'NAMES',
    default: 'X-Remote-User',
    description: 'headers in which a proxy tells the user name, the first that is there',
    repeatable: true,
  },
  {
    name: 'root-ca-file',
    value: 'FILE',
    default: '',
    description:
      "authority that accounts and namespaces are told of (PEM); none: the PKI's own, or --tls-cert-file",
  },
  {
    name: 'service-account-issuer',
    value: 'URL',
    default: '',
    description: 'issuer of bound tokens; none: a name of the profile',
  },
  {
    name: 'service-account-jwks-uri',
    value: 'URL',
    default: '',
    description: 'where others find the keys of bound tokens (https); none: below the issuer',
  },
  {
    name: 'service-account-key-file',
    value: 'FILE',
    default: '',
    description:
      "keys that service account tokens are checked with (PEM); none: the PKI's, or --tls-private-key-file",
    repeatable: true,
  },
  {
    name: 'service-account-lookup',
    value: '',
    default: 'true',
    description: 'tokens in Secrets die with their account and their Secret',
  },
  {
    name: 'service-account-max-token-expiration',
    value: 'DURATION',
    default: '8760h',
    description: 'longest life of a bound token, 1h or more; requests for more get this; 0: 2^32 seconds',
  },
  {
    name: 'service-account-signing-key-file',
    value: 'FILE',
    default: '',
    description:
      'key that tokens are signed with (PEM); none: the first private key that they are checked with',
  },
] as const satisfies readonly FlagDefinition[];

export type AuthenticationFlagName = (typeof authenticationFlags)[number]['name'];
export type AuthenticationFlags = FlagReader<AuthenticationFlagName>;
