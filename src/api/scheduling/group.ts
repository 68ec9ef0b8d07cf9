/** Which pods come first. */
import type { GroupDefinition } from '../types.ts';
import { formerWorkloads } from './former-workloads.ts';
import { podGroups } from './pod-groups.ts';
import { priorityClasses } from './priority-classes.ts';
import { workloads } from './workloads.ts';

export const schedulingGroup: GroupDefinition = {
  group: 'scheduling.{api}',
  folder: 'scheduling',
  groupPriorityMinimum: 16600,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 12, enabledByDefault: true, served: true },
    { version: 'v1alpha2', versionPriority: 10, enabledByDefault: false, served: true },
    { version: 'v1alpha1', versionPriority: 9, enabledByDefault: false, served: true },
  ],
  resources: [podGroups, priorityClasses, workloads, formerWorkloads],
};
