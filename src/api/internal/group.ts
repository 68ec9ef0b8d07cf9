/** Internal API: storage versions of the API servers. */
import type { GroupDefinition } from '../types.ts';
import { storageVersions } from './storage-versions.ts';

export const internalGroup: GroupDefinition = {
  group: 'internal.apiserver.{api}',
  folder: 'internal',
  groupPriorityMinimum: 16000,
  versions: [{ version: 'v1alpha1', versionPriority: 9, enabledByDefault: false, served: true }],
  resources: [storageVersions],
};
