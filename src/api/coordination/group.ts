/** Leases: leader election and heartbeats. */
import type { GroupDefinition } from '../types.ts';
import { formerLeaseCandidates } from './former-lease-candidates.ts';
import { leaseCandidates } from './lease-candidates.ts';
import { leases } from './leases.ts';

export const coordinationGroup: GroupDefinition = {
  group: 'coordination.{api}',
  folder: 'coordination',
  groupPriorityMinimum: 16500,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
    { version: 'v1alpha2', versionPriority: 7, enabledByDefault: false, served: true },
    { version: 'v1alpha1', versionPriority: 6, enabledByDefault: false, served: true },
  ],
  resources: [leaseCandidates, formerLeaseCandidates, leases],
};
