/** Where services are reached, in slices. */
import type { GroupDefinition } from '../types.ts';
import { endpointSlices } from './endpoint-slices.ts';

export const discoveryGroup: GroupDefinition = {
  group: 'discovery.{api}',
  folder: 'discovery',
  groupPriorityMinimum: 16200,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 12, enabledByDefault: true, served: true },
  ],
  resources: [endpointSlices],
};
