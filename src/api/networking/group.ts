/** Traffic from outside and between pods. */
import type { GroupDefinition } from '../types.ts';
import { clusterCidrs } from './cluster-cidrs.ts';
import { serviceCidrs } from './service-cidrs.ts';
import { ingressClasses } from './ingress-classes.ts';
import { ingresses } from './ingresses.ts';
import { ipAddresses } from './ip-addresses.ts';
import { networkPolicies } from './network-policies.ts';

export const networkingGroup: GroupDefinition = {
  group: 'networking.{api}',
  folder: 'networking',
  groupPriorityMinimum: 17200,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
    { version: 'v1alpha1', versionPriority: 1, enabledByDefault: false, served: true },
  ],
  resources: [clusterCidrs, ingressClasses, ingresses, ipAddresses, networkPolicies, serviceCidrs],
};
