/** Authorization flags, their configuration and files. */
import type { AbacPolicy } from '../authz/abac/abac-authorizer.ts';
import { readAbacPolicies } from '../authz/abac/abac-policy-file.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { ConfiguredWebhook } from '../webhook/webhook-client.ts';
import type { FileCheck } from './file-check.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const authorizationFlags = [
  {
    name: 'authorization-mode',
    value: 'MODES',
    default: 'RBAC',
    description:
      'Ordered list of authorization modes, comma-separated: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny.',
    repeatable: true,
  },
  {
    name: 'authorization-policy-file',
    value: 'FILE',
    default: '',
    description:
      'File with the policies of the mode ABAC, one JSON object per line. Required by that mode, and by ABAC in --authorization-config.',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    value: 'DURATION',
    default: '5m0s',
    description: 'The duration to cache "authorized" responses from the webhook authorizer.',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    value: 'DURATION',
    default: '30s',
    description: 'The duration to cache "unauthorized" responses from the webhook authorizer.',
  },
  {
    name: 'authorization-webhook-config-file',
    value: 'FILE',
    default: '',
    description:
      'File in kubeconfig format that configures the webhook authorizer. Required by the mode Webhook.',
  },
  {
    name: 'authorization-webhook-version',
    value: 'VERSION',
    default: 'v1beta1',
    description: 'API version of the SubjectAccessReview sent to the webhook: v1 or v1beta1.',
  },
] as const satisfies readonly FlagDefinition[];

type AuthorizationFlags = FlagReader<(typeof authorizationFlags)[number]['name']>;

export const authorizationModes = ['Node', 'RBAC', 'ABAC', 'Webhook', 'AlwaysAllow', 'AlwaysDeny'] as const;

export type AuthorizationMode = (typeof authorizationModes)[number];

export interface AuthorizationConfig {
  readonly modes: readonly AuthorizationMode[];
  /** '' if the mode ABAC is disabled. */
  readonly policyFile: string;
  readonly webhook: AuthorizationWebhookConfig;
}

export interface AuthorizationWebhookConfig {
  /** '' if the mode Webhook is disabled. */
  readonly configFile: string;
  /** API version of the SubjectAccessReviews that are sent. */
  readonly version: 'v1' | 'v1beta1';
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
}

export function readAuthorization(texts: FlagValues, errors: FlagErrors): AuthorizationConfig {
  const flags = new FlagReader(authorizationFlags, texts, errors);
  // A file of authorizers says itself whether there is ABAC among them.
  if (texts['authorization-config'] === undefined) checkTogether(flags, 'ABAC', 'authorization-policy-file');
  checkTogether(flags, 'Webhook', 'authorization-webhook-config-file');
  return {
    modes: modes(flags),
    policyFile: flags.text('authorization-policy-file'),
    webhook: {
      configFile: flags.text('authorization-webhook-config-file'),
      version: flags.choice('authorization-webhook-version', ['v1', 'v1beta1']),
      authorizedTtlMs: flags.duration('authorization-webhook-cache-authorized-ttl'),
      unauthorizedTtlMs: flags.duration('authorization-webhook-cache-unauthorized-ttl'),
    },
  };
}

function modes(flags: AuthorizationFlags): AuthorizationMode[] {
  const words = flags.list('authorization-mode');
  const known = authorizationModes.filter((mode) => words.includes(mode));
  const remedy = `use one or more of ${authorizationModes.join(', ')}, each once`;
  const unknown = words.filter((word) => !known.some((mode) => mode === word));
  for (const word of unknown) flags.add(`flag --authorization-mode names ${JSON.stringify(word)}`, remedy);
  if (new Set(words).size < words.length) flags.add('flag --authorization-mode names a mode twice', remedy);
  if (words.length === 0) flags.add('flag --authorization-mode names no mode', remedy);
  return [...known].sort((a, b) => words.indexOf(a) - words.indexOf(b));
}

/** A mode and its file require each other. */
function checkTogether(
  flags: AuthorizationFlags,
  name: AuthorizationMode,
  fileFlag: 'authorization-policy-file' | 'authorization-webhook-config-file',
): void {
  const isRequested = flags.list('authorization-mode').includes(name);
  if (isRequested === flags.isGiven(fileFlag)) return;
  const [mode, file] = [`--authorization-mode with ${name}`, `--${fileFlag}`];
  if (isRequested) flags.together(mode, file);
  else flags.together(file, mode);
}

/** The policies of the mode ABAC. Errors are added to those of `check`. */
export async function readAuthorizationPolicies(
  { policyFile }: AuthorizationConfig,
  naming: NamingProfile,
  check: FileCheck,
): Promise<readonly AbacPolicy[]> {
  const policies = await check.parsed(policyFile, {
    flag: '--authorization-policy-file',
    code: 'POLICY_FILE_INVALID',
    parse: (text) => readAbacPolicies(text, naming),
  });
  return policies ?? [];
}

/** The webhook of the configuration file. Errors are added to those of `check`. */
export function readAuthorizationWebhook(
  { webhook }: AuthorizationConfig,
  check: FileCheck,
): Promise<ConfiguredWebhook | undefined> {
  return check.webhook(webhook.configFile, '--authorization-webhook-config-file');
}
