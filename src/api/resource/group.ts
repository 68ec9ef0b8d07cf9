/** Devices: what nodes have, and what pods claim. */
import type { GroupDefinition } from '../types.ts';
import { deviceClasses } from './device-classes.ts';
import { deviceTaintRules } from './device-taint-rules.ts';
import { resourceClaims, resourceClaimTemplates } from './resource-claims.ts';
import { resourcePoolStatusRequests } from './resource-pool-status-requests.ts';
import { resourceSlices } from './resource-slices.ts';

export const resourceGroup: GroupDefinition = {
  group: 'resource.{api}',
  folder: 'resource',
  groupPriorityMinimum: 15900,
  versions: [
    { version: 'v1', versionPriority: 20, enabledByDefault: true, served: true },
    { version: 'v1beta2', versionPriority: 15, enabledByDefault: false, served: true },
    { version: 'v1beta1', versionPriority: 12, enabledByDefault: false, served: true },
    { version: 'v1alpha3', versionPriority: 9, enabledByDefault: false, served: true },
  ],
  resources: [
    deviceClasses,
    deviceTaintRules,
    resourceClaims,
    resourceClaimTemplates,
    resourcePoolStatusRequests,
    resourceSlices,
  ],
};
