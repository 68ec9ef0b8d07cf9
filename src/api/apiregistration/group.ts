/** Which servers answer for which group versions. */
import type { GroupDefinition } from '../types.ts';
import { apiServices } from './api-services.ts';

export const apiRegistrationGroup: GroupDefinition = {
  group: 'apiregistration.{api}',
  folder: 'apiregistration',
  groupPriorityMinimum: 20000,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
  ],
  resources: [apiServices],
};
