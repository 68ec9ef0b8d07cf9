/**
 * The group that other groups grew out of. Its objects are theirs: what is written here is read there. Only ingresses
 * are still served; the rest can be converted.
 */
import { extensionsDaemonSet, daemonSets } from '../apps/daemon-sets.ts';
import { deployments, extensionsDeployment } from '../apps/deployments.ts';
import { extensionsReplicaSet, replicaSets } from '../apps/replica-sets.ts';
import { ingressFromStorage, ingressToStorage } from '../networking/ingress-conversion.ts';
import { ingresses } from '../networking/ingresses.ts';
import { extensionsNetworkPolicy, networkPolicies } from '../networking/network-policies.ts';
import { podSecurityPolicies } from '../policy/pod-security-policies.ts';
import type {
  GroupDefinition,
  ResourceDefinition,
  ResourceVersionDefinition,
  StorageGroup,
} from '../types.ts';

const apps: StorageGroup = { group: 'apps', folder: 'apps' };
const policy: StorageGroup = { group: 'policy', folder: 'policy' };
const networking: StorageGroup = { group: 'networking.{api}', folder: 'networking' };

const ingress: ResourceVersionDefinition = {
  version: 'v1beta1',
  deprecatedIn: '1.14',
  removedIn: '1.22',
  replacement: 'networking.{api}/v1 Ingress',
  toStorage: ingressToStorage,
  fromStorage: ingressFromStorage,
};

const securityPolicy: ResourceVersionDefinition = {
  version: 'v1beta1',
  served: false,
  deprecatedIn: '1.11',
  removedIn: '1.16',
  replacement: 'policy/v1beta1 PodSecurityPolicy',
};

function servedFrom(
  storedIn: StorageGroup,
  resource: ResourceDefinition,
  version: ResourceVersionDefinition,
): ResourceDefinition {
  return { ...resource, storedIn, versions: [version] };
}

export const extensionsGroup: GroupDefinition = {
  group: 'extensions',
  folder: 'extensions',
  groupPriorityMinimum: 17150,
  versions: [{ version: 'v1beta1', versionPriority: 1, enabledByDefault: true, served: true }],
  resources: [
    servedFrom(apps, daemonSets, extensionsDaemonSet),
    servedFrom(apps, deployments, extensionsDeployment),
    servedFrom(networking, ingresses, ingress),
    servedFrom(networking, networkPolicies, extensionsNetworkPolicy),
    servedFrom(policy, podSecurityPolicies, securityPolicy),
    servedFrom(apps, replicaSets, extensionsReplicaSet),
  ],
};
