/** Work that comes to an end. */
import type { GroupDefinition } from '../types.ts';
import { cronJobs } from './cron-jobs.ts';
import { jobs } from './jobs.ts';

export const batchGroup: GroupDefinition = {
  group: 'batch',
  folder: 'batch',
  groupPriorityMinimum: 17400,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
    { version: 'v2alpha1', versionPriority: 1, enabledByDefault: false, served: true },
  ],
  resources: [cronJobs, jobs],
};
