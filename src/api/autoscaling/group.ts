/** What grows and shrinks with its load. */
import type { GroupDefinition } from '../types.ts';
import { horizontalPodAutoscalers } from './horizontal-pod-autoscalers.ts';

export const autoscalingGroup: GroupDefinition = {
  group: 'autoscaling',
  folder: 'autoscaling',
  groupPriorityMinimum: 17500,
  versions: [
    { version: 'v2', versionPriority: 30, enabledByDefault: true, served: true },
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v2beta1', versionPriority: 9, enabledByDefault: true, served: true },
    { version: 'v2beta2', versionPriority: 1, enabledByDefault: true, served: true },
  ],
  resources: [horizontalPodAutoscalers],
};
