/** The core group: what every cluster is made of. */
import type { GroupDefinition } from '../types.ts';
import { bindings } from './bindings.ts';
import { componentStatuses } from './component-statuses.ts';
import { configMaps } from './config-maps.ts';
import { endpoints } from './endpoints.ts';
import { events } from './events.ts';
import { limitRanges } from './limit-ranges.ts';
import { namespaces } from './namespaces.ts';
import { nodes } from './nodes.ts';
import { persistentVolumeClaims } from './persistent-volume-claims.ts';
import { persistentVolumes } from './persistent-volumes.ts';
import { podTemplates } from './pod-templates.ts';
import { pods } from './pods.ts';
import { replicationControllers } from './replication-controllers.ts';
import { resourceQuotas } from './resource-quotas.ts';
import { secrets } from './secrets.ts';
import { serviceAccounts } from './service-accounts.ts';
import { services } from './services.ts';

export const coreGroup: GroupDefinition = {
  group: '',
  folder: 'core',
  groupPriorityMinimum: 18000,
  versions: [{ version: 'v1', versionPriority: 1, enabledByDefault: true, served: true }],
  resources: [
    bindings,
    componentStatuses,
    configMaps,
    endpoints,
    events,
    limitRanges,
    namespaces,
    nodes,
    persistentVolumeClaims,
    persistentVolumes,
    podTemplates,
    pods,
    replicationControllers,
    resourceQuotas,
    secrets,
    serviceAccounts,
    services,
  ],
};
