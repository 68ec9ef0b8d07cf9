/** The core group: what every cluster is made of. */
import type { GroupDefinition } from '../types.ts';
import { configMaps } from './config-maps.ts';
import { namespaces } from './namespaces.ts';
import { pods } from './pods.ts';
import { secrets } from './secrets.ts';
import { serviceAccounts } from './service-accounts.ts';

export const coreGroup: GroupDefinition = {
  group: '',
  folder: 'core',
  groupPriorityMinimum: 18000,
  versions: [{ version: 'v1', versionPriority: 1, enabledByDefault: true, served: true }],
  resources: [configMaps, namespaces, pods, secrets, serviceAccounts],
};
