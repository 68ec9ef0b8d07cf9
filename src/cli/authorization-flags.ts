/** The flags of `serve` that say who decides what clients may do. */
import type { FlagDefinition } from './flag-definition.ts';

export const authorizationFlags = [
  {
    name: 'authorization-mode',
    value: 'MODES',
    default: 'RBAC',
    description: 'who decides, asked in this order: RBAC, Webhook, AlwaysAllow, AlwaysDeny',
    repeatable: true,
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    value: 'DURATION',
    default: '5m0s',
    description: 'how long the webhook is not asked again after it allowed',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    value: 'DURATION',
    default: '30s',
    description: 'how long the webhook is not asked again after it refused',
  },
  {
    name: 'authorization-webhook-config-file',
    value: 'FILE',
    default: '',
    description: 'where the webhook is and who to be there, as a kubeconfig',
  },
  {
    name: 'authorization-webhook-version',
    value: 'VERSION',
    default: 'v1beta1',
    description: 'version of the SubjectAccessReviews that the webhook gets: v1 or v1beta1',
  },
] as const satisfies readonly FlagDefinition[];
