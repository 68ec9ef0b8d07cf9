/** Who has the roles at the beginning. */
import { controllerRoles } from './controller-roles.ts';
import type { LaterRole } from './later-roles.ts';
import type { BindingSource, SubjectSource } from './types.ts';

const system = '{ns}-system';

/** Its members may read metrics and health. */
export const groupMonitoring = 'system:monitoring';

/** Who the controllers of this service are, in its own process and beside it. */
export const controllerManager = 'system:orch-controller-manager';

function user(name: string): SubjectSource {
  return { kind: 'User', name };
}

function group(name: string): SubjectSource {
  return { kind: 'Group', name };
}

/** One in the system namespace. */
function account(name: string): SubjectSource {
  return { kind: 'ServiceAccount', name };
}

/** Binds a ClusterRole to a subject, under the role's name. */
function everywhere(role: string, ...subjects: SubjectSource[]): BindingSource {
  return { name: role, role, subjects };
}

/** The role of a controller is its service account's, unless it names others. */
export function bindingOfController({ name, subjects }: LaterRole): BindingSource {
  const own = account(name.replace(/^system:controller:/, ''));
  return everywhere(
    name,
    ...(subjects ?? [own, ...(ownLaterControllers.has(name) ? [user(controllerManager)] : [])]),
  );
}

/** Roles of controllers that came later and that this service has. */
const ownLaterControllers: ReadonlySet<string> = new Set([
  'system:controller:service-cidrs-controller',
  'system:controller:legacy-service-account-token-cleaner',
]);

/** Controllers that this service has, by where their role is: what they may do is what `controllerManager` may do. */
const ownControllers = [
  'namespace-controller',
  'generic-garbage-collector',
  'clusterrole-aggregation-controller',
  'service-account-controller',
  'root-ca-cert-publisher',
  'resourcequota-controller',
  'pvc-protection-controller',
  'pv-protection-controller',
];
const ownNamespacedControllers = [
  { namespace: system, controller: 'token-cleaner' },
  { namespace: system, controller: 'bootstrap-signer' },
  { namespace: '{ns}-public', controller: 'bootstrap-signer' },
];

export const bindings: readonly BindingSource[] = [
  everywhere('cluster-admin', group('system:masters')),
  everywhere('system:basic-user', group('system:authenticated')),
  everywhere('system:discovery', group('system:authenticated')),
  everywhere('system:public-info-viewer', group('system:authenticated'), group('system:unauthenticated')),
  everywhere('system:monitoring', group(groupMonitoring)),
  everywhere('system:service-account-issuer-discovery', group('system:serviceaccounts')),
  everywhere('system:kube-controller-manager', user('system:kube-controller-manager')),
  everywhere('system:kube-scheduler', user('system:kube-scheduler')),
  everywhere('system:volume-scheduler', user('system:kube-scheduler')),
  everywhere('system:kube-dns', account('kube-dns')),
  everywhere('system:node-proxier', user('system:kube-proxy')),
  // Nodes get their permissions from an authorizer of their own.
  everywhere('system:node'),
  ...controllerRoles.map(bindingOfController),
  ...ownControllers.map((controller) => ({
    name: `${controllerManager}:${controller}`,
    role: `system:controller:${controller}`,
    subjects: [user(controllerManager)],
  })),
  ...ownNamespacedControllers.map(({ namespace, controller }) => ({
    name: `${controllerManager}:${controller}`,
    role: `system:controller:${controller}`,
    namespace,
    subjects: [user(controllerManager)],
  })),
  // Shared by all controllers: list, watch, and manage service accounts and their tokens.
  { name: controllerManager, role: 'system:kube-controller-manager', subjects: [user(controllerManager)] },
  {
    name: 'system::leader-locking-orch-controller-manager',
    role: 'system::leader-locking-orch-controller-manager',
    namespace: system,
    subjects: [user(controllerManager)],
  },
  {
    name: 'system::extension-apiserver-authentication-reader',
    role: 'extension-apiserver-authentication-reader',
    namespace: system,
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler')],
  },
  {
    name: 'system::leader-locking-kube-controller-manager',
    role: 'system::leader-locking-kube-controller-manager',
    namespace: system,
    subjects: [account('kube-controller-manager'), user('system:kube-controller-manager')],
  },
  {
    name: 'system::leader-locking-kube-scheduler',
    role: 'system::leader-locking-kube-scheduler',
    namespace: system,
    subjects: [account('kube-scheduler'), user('system:kube-scheduler')],
  },
  ...['bootstrap-signer', 'cloud-provider', 'token-cleaner'].map((controller) => ({
    name: `system:controller:${controller}`,
    role: `system:controller:${controller}`,
    namespace: system,
    subjects: [account(controller)],
  })),
  {
    name: 'system:controller:bootstrap-signer',
    role: 'system:controller:bootstrap-signer',
    namespace: '{ns}-public',
    subjects: [account('bootstrap-signer')],
  },
];
