/** API Priority and Fairness: flow schemas and priority levels. */
import type { GroupDefinition } from '../types.ts';
import { flowSchemas } from './flow-schemas.ts';
import { priorityLevelConfigurations } from './priority-level-configurations.ts';

export const flowControlGroup: GroupDefinition = {
  group: 'flowcontrol.apiserver.{api}',
  folder: 'flowcontrol',
  groupPriorityMinimum: 16100,
  versions: [
    { version: 'v1', versionPriority: 21, enabledByDefault: true, served: true },
    { version: 'v1beta3', versionPriority: 18, enabledByDefault: true, served: true },
    { version: 'v1beta2', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 12, enabledByDefault: true, served: true },
    { version: 'v1alpha1', versionPriority: 9, enabledByDefault: false, served: false },
  ],
  resources: [flowSchemas, priorityLevelConfigurations],
};
