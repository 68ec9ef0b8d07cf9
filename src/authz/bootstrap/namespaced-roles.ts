/** Roles in the system namespaces. */
import { events, named, rule, type RoleSource } from './types.ts';

export const namespacedRoles: readonly RoleSource[] = [
  {
    namespace: '{ns}-public',
    name: 'system:controller:bootstrap-signer',
    rules: [
      rule('get list watch', 'core', 'configmaps'),
      named('update', 'core', 'configmaps', 'cluster-info'),
      events,
    ],
  },
  {
    namespace: '{ns}-system',
    name: 'extension-apiserver-authentication-reader',
    rules: [named('get list watch', 'core', 'configmaps', 'extension-apiserver-authentication')],
  },
  {
    namespace: '{ns}-system',
    name: 'system::leader-locking-kube-controller-manager',
    rules: [
      rule('watch', 'core', 'configmaps'),
      named('get update', 'core', 'configmaps', 'kube-controller-manager'),
    ],
  },
  {
    namespace: '{ns}-system',
    name: 'system::leader-locking-kube-scheduler',
    rules: [rule('watch', 'core', 'configmaps'), named('get update', 'core', 'configmaps', 'kube-scheduler')],
  },
  {
    namespace: '{ns}-system',
    name: 'system:controller:bootstrap-signer',
    rules: [rule('get list watch', 'core', 'secrets')],
  },
  {
    namespace: '{ns}-system',
    name: 'system:controller:cloud-provider',
    rules: [rule('create get list watch', 'core', 'configmaps')],
  },
  {
    namespace: '{ns}-system',
    name: 'system:controller:token-cleaner',
    rules: [rule('delete get list watch', 'core', 'secrets'), events],
  },
  {
    // The lease of this service's own controllers.
    namespace: '{ns}-system',
    name: 'system::leader-locking-orch-controller-manager',
    rules: [
      rule('create', 'coordination.{api}', 'leases'),
      named('get update', 'coordination.{api}', 'leases', 'orch-controller-manager'),
    ],
  },
];
