/** Resources that users add to the API. */
import type { GroupDefinition } from '../types.ts';
import { customResourceDefinitions } from './custom-resource-definitions.ts';

export const apiExtensionsGroup: GroupDefinition = {
  group: 'apiextensions.{api}',
  folder: 'apiextensions',
  groupPriorityMinimum: 16700,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
  ],
  resources: [customResourceDefinitions],
};
