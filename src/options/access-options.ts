/** Flags of the files that configure several authenticators or authorizers, and what they exclude. */
import { createFeatureGates } from '../observe/feature-gates.ts';
import { featuresOf } from '../observe/release-gates.ts';
import type { ApiEnablementConfig } from './api/api-enablement-flags.ts';
import type { FeatureConfig } from './feature-options.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const accessFlags = [
  {
    name: 'authentication-config',
    value: 'FILE',
    default: '',
    description:
      'File with the authentication configuration (AuthenticationConfiguration, YAML): issuers of JSON Web Tokens with mappings and rules of their claims, and anonymous requests by path. Excludes the --oidc-* flags. Changes take effect while the service runs. Since release 1.30.',
  },
  {
    name: 'authorization-config',
    value: 'FILE',
    default: '',
    description:
      'File with the authorization configuration (AuthorizationConfiguration, YAML): an ordered list of authorizers, several webhooks among them. Excludes --authorization-mode and the --authorization-webhook-* flags. Changes of webhooks take effect while the service runs. Since release 1.30.',
  },
] as const satisfies readonly FlagDefinition[];

type AccessFlags = FlagReader<(typeof accessFlags)[number]['name']>;

export interface AccessConfig {
  /** '' without a file. */
  readonly authenticationFile: string;
  /** '' without a file. */
  readonly authorizationFile: string;
  /** Minor number of the emulated release. */
  readonly minor: number;
  /** Whether the release has conditions of anonymous requests. */
  readonly hasAnonymous: boolean;
  readonly isAnonymousFlagGiven: boolean;
}

/** Errors are added to `errors`. */
export function readAccess(
  texts: FlagValues,
  errors: FlagErrors,
  { featureGates, emulatedRelease }: FeatureConfig & Pick<ApiEnablementConfig, 'emulatedRelease'>,
): { readonly access: AccessConfig } {
  const flags = new FlagReader(accessFlags, texts, errors);
  const gates = createFeatureGates(featureGates, featuresOf(emulatedRelease));
  const isGiven = (name: string): boolean => (texts[name] ?? '') !== '';
  const given = Object.keys(texts).filter(isGiven);
  const exclude = (flag: Parameters<AccessFlags['isGiven']>[0], gate: string, others: RegExp): void => {
    if (!flags.isGiven(flag)) return;
    if (!gates.isEnabled(gate))
      flags.conflict(
        `--${flag} needs the feature gate ${gate}`,
        'emulate release 1.30 or later, or enable it in 1.29',
      );
    for (const other of given.filter((name) => others.test(name)))
      flags.conflict(`--${flag} and --${other} exclude each other`, 'give one of them');
  };
  if (isGiven('requestheader-uid-headers') && !gates.isEnabled('RemoteRequestHeaderUID'))
    flags.conflict(
      '--requestheader-uid-headers needs the feature gate RemoteRequestHeaderUID',
      'emulate release 1.33 or later, or enable it in 1.32',
    );
  exclude('authentication-config', 'StructuredAuthenticationConfiguration', /^oidc-/);
  exclude(
    'authorization-config',
    'StructuredAuthorizationConfiguration',
    /^authorization-(?:mode$|webhook-)/,
  );
  return {
    access: {
      authenticationFile: flags.text('authentication-config'),
      authorizationFile: flags.text('authorization-config'),
      minor: emulatedRelease.minor,
      hasAnonymous: gates.isEnabled('AnonymousAuthConfigurableEndpoints'),
      isAnonymousFlagGiven: isGiven('anonymous-auth'),
    },
  };
}
