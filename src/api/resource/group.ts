/** Devices: what nodes have, and what pods claim. */
import type { GroupDefinition } from '../types.ts';
import { deviceClasses } from './device-classes.ts';
import { deviceTaintRules } from './device-taint-rules.ts';
import { formerClaims, formerClaimTemplates } from './former-claims.ts';
import { podSchedulingContexts, podSchedulings } from './pod-scheduling.ts';
import { resourceClaims, resourceClaimTemplates } from './resource-claims.ts';
import { resourceClasses } from './resource-classes.ts';
import { resourcePoolStatusRequests } from './resource-pool-status-requests.ts';
import { resourceSlices } from './resource-slices.ts';
import { formerSlices, resourceClaimParameters, resourceClassParameters } from './structured-parameters.ts';

export const resourceGroup: GroupDefinition = {
  group: 'resource.{api}',
  folder: 'resource',
  groupPriorityMinimum: 15900,
  versions: [
    { version: 'v1', versionPriority: 20, enabledByDefault: true, served: true },
    { version: 'v1beta2', versionPriority: 15, enabledByDefault: false, served: true },
    { version: 'v1beta1', versionPriority: 12, enabledByDefault: false, served: true },
    { version: 'v1alpha3', versionPriority: 9, enabledByDefault: false, served: true },
    { version: 'v1alpha2', versionPriority: 8, enabledByDefault: false, served: true },
    { version: 'v1alpha1', versionPriority: 7, enabledByDefault: false, served: true },
  ],
  resources: [
    deviceClasses,
    deviceTaintRules,
    resourceClaims,
    resourceClaimTemplates,
    resourcePoolStatusRequests,
    resourceSlices,
    formerClaims,
    formerClaimTemplates,
    formerSlices,
    podSchedulingContexts,
    podSchedulings,
    resourceClaimParameters,
    resourceClasses,
    resourceClassParameters,
  ],
};
