/** How nodes run containers. */
import type { GroupDefinition } from '../types.ts';
import { runtimeClasses } from './runtime-classes.ts';

export const nodeGroup: GroupDefinition = {
  group: 'node.{api}',
  folder: 'node',
  groupPriorityMinimum: 16300,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
    { version: 'v1alpha1', versionPriority: 1, enabledByDefault: false, served: true },
  ],
  resources: [runtimeClasses],
};
