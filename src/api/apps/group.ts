/** Sets of pods: what most workloads are made of. */
import type { GroupDefinition } from '../types.ts';
import { controllerRevisions } from './controller-revisions.ts';
import { daemonSets } from './daemon-sets.ts';
import { deployments } from './deployments.ts';
import { replicaSets } from './replica-sets.ts';
import { statefulSets } from './stateful-sets.ts';

export const appsGroup: GroupDefinition = {
  group: 'apps',
  folder: 'apps',
  groupPriorityMinimum: 17800,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta2', versionPriority: 9, enabledByDefault: false, served: false },
    { version: 'v1beta1', versionPriority: 1, enabledByDefault: false, served: false },
  ],
  resources: [controllerRevisions, daemonSets, deployments, replicaSets, statefulSets],
};
