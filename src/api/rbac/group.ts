/** RBAC: roles and bindings. */
import type { GroupDefinition } from '../types.ts';
import { clusterRoleBindings, roleBindings } from './role-bindings.ts';
import { clusterRoles, roles } from './roles.ts';

export const rbacGroup: GroupDefinition = {
  group: 'rbac.authorization.{api}',
  folder: 'rbac',
  groupPriorityMinimum: 17000,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 12, enabledByDefault: true, served: true },
    { version: 'v1alpha1', versionPriority: 9, enabledByDefault: false, served: true },
  ],
  resources: [clusterRoleBindings, clusterRoles, roleBindings, roles],
};
