/** The authentication flags of `serve`. */
import type { FlagDefinition } from '../flag-definition.ts';
import type { FlagReader } from '../flag-reader.ts';

export const authenticationFlags = [
  {
    name: 'anonymous-auth',
    value: '',
    default: 'true',
    description:
      'Enables anonymous requests. Requests without credentials get the user name system:anonymous and the group system:unauthenticated.',
  },
  {
    name: 'client-ca-file',
    value: 'FILE',
    default: '',
    description:
      'CA bundle (PEM) that verifies client certificates. The CommonName is the user name, each Organization a group.',
  },
  {
    name: 'token-auth-file',
    value: 'FILE',
    default: '',
    description: 'CSV file with static bearer tokens: token, user name, user uid, "groups".',
  },
  {
    name: 'api-audiences',
    value: 'NAMES',
    default: '',
    description:
      'Accepted audiences of service account tokens, comma-separated. Defaults to --service-account-issuer.',
    repeatable: true,
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    value: 'DURATION',
    default: '2m',
    description: 'The duration to cache responses from the token webhook authenticator.',
  },
  {
    name: 'authentication-token-webhook-config-file',
    value: 'FILE',
    default: '',
    description:
      'File in kubeconfig format that configures the token webhook authenticator. If empty, it is disabled.',
  },
  {
    name: 'authentication-token-webhook-version',
    value: 'VERSION',
    default: 'v1beta1',
    description: 'API version of the TokenReview sent to the token webhook: v1 or v1beta1.',
  },
  {
    name: 'basic-auth-file',
    value: 'FILE',
    default: '',
    description:
      'CSV file with passwords for HTTP basic authentication: password, user name, user uid, "groups".',
  },
  {
    name: 'enable-bootstrap-token-auth',
    value: '',
    default: 'false',
    description: 'Enables authentication with bootstrap tokens, which are Secrets in the system namespace.',
  },
  {
    name: 'oidc-ca-file',
    value: 'FILE',
    default: '',
    description:
      'CA bundle (PEM) that verifies the certificate of the OpenID provider. If empty, the root CAs of the host are used.',
  },
  {
    name: 'oidc-client-id',
    value: 'ID',
    default: '',
    description:
      'The client ID of the OpenID Connect client. ID tokens must have it as an audience. Required with --oidc-issuer-url.',
  },
  {
    name: 'oidc-groups-claim',
    value: 'CLAIM',
    default: '',
    description: 'The claim of ID tokens that lists the groups of the user. If empty, users have no groups.',
  },
  {
    name: 'oidc-groups-prefix',
    value: 'TEXT',
    default: '',
    description: 'Prefix for all groups from ID tokens.',
  },
  {
    name: 'oidc-issuer-url',
    value: 'URL',
    default: '',
    description: 'HTTPS URL of the OpenID provider. If empty, OpenID Connect is disabled.',
  },
  {
    name: 'oidc-required-claim',
    value: 'KEY=VALUE',
    default: '',
    description: 'A key=value pair that is a required claim of ID tokens. May be repeated.',
    repeatable: true,
  },
  {
    name: 'oidc-signing-algs',
    value: 'ALGORITHMS',
    default: 'RS256',
    description: 'Accepted signing algorithms of ID tokens, comma-separated.',
    repeatable: true,
  },
  {
    name: 'oidc-username-claim',
    value: 'CLAIM',
    default: 'sub',
    description: 'The claim of ID tokens that is the user name.',
  },
  {
    name: 'oidc-username-prefix',
    value: 'TEXT',
    default: '',
    description:
      'Prefix for user names from ID tokens. If empty, the issuer and # are the prefix, unless the claim is email. - disables the prefix.',
  },
  {
    name: 'requestheader-allowed-names',
    value: 'NAMES',
    default: '',
    description:
      'Accepted CommonNames of authenticating proxies. If empty, every certificate of --requestheader-client-ca-file is accepted.',
    repeatable: true,
  },
  {
    name: 'requestheader-client-ca-file',
    value: 'FILE',
    default: '',
    description:
      'CA bundle (PEM) that verifies the client certificates of authenticating proxies. If empty, the request headers below are ignored.',
  },
  {
    name: 'requestheader-extra-headers-prefix',
    value: 'PREFIXES',
    default: 'X-Remote-Extra-',
    description: 'Prefixes of the request headers that hold extra attributes of the user.',
    repeatable: true,
  },
  {
    name: 'requestheader-group-headers',
    value: 'NAMES',
    default: 'X-Remote-Group',
    description: 'Request headers that hold the groups of the user.',
    repeatable: true,
  },
  {
    name: 'requestheader-uid-headers',
    value: 'NAMES',
    default: '',
    description:
      'Request headers that hold the UID of the user, such as X-Remote-Uid. The first that is present is used. Needs the feature gate RemoteRequestHeaderUID.',
    repeatable: true,
  },
  {
    name: 'requestheader-username-headers',
    value: 'NAMES',
    default: 'X-Remote-User',
    description: 'Request headers that hold the user name. The first that is present is used.',
    repeatable: true,
  },
  {
    name: 'root-ca-file',
    value: 'FILE',
    default: '',
    description:
      'CA bundle (PEM) that is published in service account token Secrets and in every namespace. Defaults to that of the PKI, or to --tls-cert-file.',
  },
  {
    name: 'service-account-extend-token-expiration',
    value: '',
    default: 'true',
    description:
      'If true, tokens that pods ask for by the usual 3607 s live for a year; a use after that time is counted, and noted in the audit log.',
  },
  {
    name: 'service-account-issuer',
    value: 'URL',
    default: '',
    description:
      'Issuer of service account tokens, a URL or a name. Defaults to a name of the naming profile.',
  },
  {
    name: 'service-account-jwks-uri',
    value: 'URL',
    default: '',
    description:
      'HTTPS URI of the JSON Web Key Set in the discovery document of service account tokens. Defaults to a path below the issuer.',
  },
  {
    name: 'service-account-key-file',
    value: 'FILE',
    default: '',
    description:
      'File with PEM-encoded keys that verify service account tokens. May be repeated. Defaults to the key of the PKI, or to --tls-private-key-file.',
    repeatable: true,
  },
  {
    name: 'service-account-lookup',
    value: '',
    default: 'true',
    description: 'If true, tokens are rejected once their service account or Secret is deleted.',
  },
  {
    name: 'service-account-max-token-expiration',
    value: 'DURATION',
    default: '8760h',
    description:
      'The maximum validity of a service account token, at least 1h. A TokenRequest for more gets this. 0 means 2^32 seconds.',
  },
  {
    name: 'service-account-signing-key-file',
    value: 'FILE',
    default: '',
    description:
      'File with the private key (PEM) that signs service account tokens. Defaults to the first private key of --service-account-key-file.',
  },
] as const satisfies readonly FlagDefinition[];

export type AuthenticationFlagName = (typeof authenticationFlags)[number]['name'];
export type AuthenticationFlags = FlagReader<AuthenticationFlagName>;
