/** Roles of controllers that came after release 1.21; each is given to the service account that is named like it. */
import { isLiving, type PolicyLife, type ServedPolicy } from './served-policy.ts';
import { events, named, rule, type ClusterRoleSource, type SubjectSource } from './types.ts';

export interface LaterRole extends ClusterRoleSource, PolicyLife {
  /** Who has it from the beginning; absent: the service account of the controller. */
  readonly subjects?: readonly SubjectSource[];
}

const read = 'get list watch';
const write = 'patch update';
const resources = 'resource.{api}';

const laterRoles: readonly LaterRole[] = [
  {
    name: 'system:cluster-trust-bundle-discovery',
    gate: 'ClusterTrustBundle',
    rules: [rule(read, 'certificates.{api}', 'clustertrustbundles')],
    subjects: [{ kind: 'Group', name: 'system:serviceaccounts' }],
  },
  {
    name: 'system:controller:device-taint-eviction-controller',
    gate: 'DRADeviceTaints',
    rules: [
      rule(`delete ${read}`, 'core', 'pods'),
      rule(write, 'core', 'pods/status'),
      rule(read, resources, 'deviceclasses devicetaintrules resourceclaims resourceslices'),
      events,
    ],
  },
  {
    name: 'system:controller:kube-apiserver-serving-clustertrustbundle-publisher',
    gate: 'ClusterTrustBundle',
    rules: [
      rule('create delete list update watch', 'certificates.{api}', 'clustertrustbundles'),
      named('attest', 'certificates.{api}', 'signers', '{label}/kube-apiserver-serving'),
      events,
    ],
  },
  {
    name: 'system:controller:legacy-service-account-token-cleaner',
    since: 29,
    rules: [
      named('get', 'core', 'configmaps', 'kube-apiserver-legacy-service-account-token-tracking'),
      rule('delete patch', 'core', 'secrets'),
    ],
  },
  {
    name: 'system:controller:podcertificaterequestcleaner',
    gate: 'PodCertificateRequest',
    rules: [rule(`delete ${read}`, 'certificates.{api}', 'podcertificaterequests')],
  },
  {
    name: 'system:controller:resource-claim-controller',
    gate: 'DynamicResourceAllocation',
    rules: [
      rule(read, 'core', 'pods'),
      rule('update', 'core', 'pods/finalizers'),
      rule(`create delete ${read}`, resources, 'resourceclaims'),
      rule(write, resources, 'resourceclaims resourceclaims/status'),
      rule(write, 'core', 'pods/status'),
      events,
    ],
  },
  {
    name: 'system:controller:selinux-warning-controller',
    gate: 'SELinuxChangePolicy',
    rules: [
      rule(read, 'core', 'persistentvolumeclaims persistentvolumes pods'),
      rule(read, 'storage.{api}', 'csidrivers'),
      events,
    ],
  },
  {
    name: 'system:controller:service-cidrs-controller',
    gate: 'MultiCIDRServiceAllocator',
    rules: [
      rule(`${read} ${write}`, 'networking.{api}', 'servicecidrs'),
      rule(write, 'networking.{api}', 'servicecidrs/finalizers servicecidrs/status'),
      rule(read, 'networking.{api}', 'ipaddresses'),
      events,
    ],
  },
  {
    name: 'system:controller:storage-version-garbage-collector',
    gate: 'StorageVersionAPI',
    rules: [
      rule(read, 'coordination.{api}', 'leases'),
      rule(`delete ${read} ${write}`, 'internal.apiserver.{api}', 'storageversions'),
      rule(`get ${write}`, 'internal.apiserver.{api}', 'storageversions/status'),
    ],
  },
  {
    name: 'system:controller:storage-version-migrator-controller',
    gate: 'StorageVersionMigrator',
    rules: [
      rule('create list patch watch', '*', '*'),
      rule('update', 'storagemigration.{api}', 'storageversionmigrations/status'),
    ],
  },
  {
    name: 'system:controller:validatingadmissionpolicy-status-controller',
    gate: 'ValidatingAdmissionPolicy',
    rules: [
      rule(read, 'admissionregistration.{api}', 'validatingadmissionpolicies'),
      rule(`get ${write}`, 'admissionregistration.{api}', 'validatingadmissionpolicies/status'),
      events,
    ],
  },
  {
    name: 'system:controller:volumeattributesclass-protection-controller',
    gate: 'VolumeAttributesClass',
    rules: [
      rule(read, 'core', 'persistentvolumeclaims persistentvolumes'),
      rule(`${read} update`, 'storage.{api}', 'volumeattributesclasses'),
      events,
    ],
  },
];

/** The roles that a release has beside those of 1.21. */
export function laterRolesOf(served: ServedPolicy): readonly LaterRole[] {
  return laterRoles.filter((role) => isLiving(role, served));
}
