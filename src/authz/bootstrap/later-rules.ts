/**
 * Rules that roles got or lost after release 1.21. Where only release 1.34 is known to have a rule, it is there from 1.34
 * on.
 */
import type { PolicyRule } from '../rbac/policy-rule.ts';
import { isLiving, type PolicyLife, type ServedPolicy } from './served-policy.ts';
import { named, paths, rule } from './types.ts';

type LaterRule = PolicyLife & { readonly rule: PolicyRule };

const write = 'create delete deletecollection patch update';
const read = 'get list watch';
const resources = 'resource.{api}';

/** Under the name of a controller without its `system:controller:`, or of another role. */
const laterRules: Readonly<Record<string, readonly LaterRule[]>> = {
  'system:aggregate-to-edit': [
    // Who may write endpoints may lead traffic past the rules for it (CVE-2021-25740).
    { until: 22, rule: rule(write, 'core', 'endpoints') },
    { since: 22, rule: rule('create', 'core', 'pods/eviction') },
    { since: 22, rule: rule(write, 'core', 'events') },
    { since: 24, rule: rule('create', 'core', 'serviceaccounts/token') },
    { since: 27, rule: rule(`${write} ${read}`, 'coordination.{api}', 'leases') },
    {
      gate: 'DynamicResourceAllocation',
      rule: rule(write, resources, 'resourceclaims resourceclaimtemplates'),
    },
  ],
  'system:aggregate-to-view': [
    { since: 22, rule: rule(read, 'discovery.{api}', 'endpointslices') },
    {
      gate: 'DynamicResourceAllocation',
      rule: rule(read, resources, 'resourceclaims resourceclaims/status resourceclaimtemplates'),
    },
  ],
  'system:basic-user': [{ since: 27, rule: rule('create', 'authentication.{api}', 'selfsubjectreviews') }],
  'system:monitoring': [
    { since: 27, rule: paths('get', '/metrics/slis') },
    { since: 34, rule: rule('get', 'core', 'nodes/metrics') },
    { gate: 'ComponentFlagz', rule: paths('get', '/flagz') },
    { gate: 'ComponentStatusz', rule: paths('get', '/statusz') },
  ],
  'system:service-account-issuer-discovery': [
    { since: 34, rule: paths('get', '/.well-known/openid-configuration/ /openid/v1/jwks/') },
  ],
  'system:node': [
    { gate: 'ClusterTrustBundle', rule: rule(read, 'certificates.{api}', 'clustertrustbundles') },
    {
      gate: 'PodCertificateRequest',
      rule: rule(`create ${read}`, 'certificates.{api}', 'podcertificaterequests'),
    },
    { gate: 'DynamicResourceAllocation', rule: rule('get', resources, 'resourceclaims') },
    { gate: 'DynamicResourceAllocation', rule: rule('deletecollection', resources, 'resourceslices') },
    { since: 34, rule: rule('get', 'core', 'serviceaccounts') },
  ],
  'system:node-proxier': [
    { gate: 'MultiCIDRServiceAllocator', rule: rule('list watch', 'networking.{api}', 'servicecidrs') },
  ],
  'system:kubelet-api-admin': [
    { since: 33, rule: rule('*', 'core', 'nodes/configz nodes/healthz nodes/pods') },
  ],
  'system:kube-scheduler': [
    { since: 22, rule: rule(read, 'core', 'namespaces') },
    { since: 31, rule: named('list watch', 'coordination.{api}', 'leases', 'kube-scheduler') },
    { since: 31, rule: rule(`${write} ${read}`, 'coordination.{api}', 'leasecandidates') },
    { since: 34, rule: rule(read, 'storage.{api}', 'volumeattachments') },
    { gate: 'DynamicResourceAllocation', rule: rule(read, resources, 'deviceclasses resourceslices') },
    {
      gate: 'DynamicResourceAllocation',
      rule: rule(`${read} patch update`, resources, 'resourceclaims resourceclaims/status'),
    },
    { gate: 'DynamicResourceAllocation', rule: rule('update', 'core', 'pods/finalizers') },
    { gate: 'DRADeviceTaints', rule: rule(read, resources, 'devicetaintrules') },
    { gate: 'DRAExtendedResource', rule: rule('create delete', resources, 'resourceclaims') },
  ],
  ...leaderLocking('kube-controller-manager'),
  ...leaderLocking('kube-scheduler'),
  'cronjob-controller': [{ since: 34, rule: rule('watch', 'core', 'pods') }],
  'disruption-controller': [{ since: 26, rule: rule('patch update', 'core', 'pods/status') }],
  'endpoint-controller': [{ since: 34, rule: rule('watch', 'core', 'endpoints') }],
  'endpointslice-controller': [{ since: 34, rule: rule('watch', 'discovery.{api}', 'endpointslices') }],
  'endpointslicemirroring-controller': [
    { since: 34, rule: rule('watch', 'discovery.{api}', 'endpointslices') },
  ],
  'horizontal-pod-autoscaler': [
    { since: 34, rule: rule('watch', 'core', 'pods') },
    { since: 34, rule: rule('watch', 'metrics.{api}', 'pods') },
    { since: 34, rule: rule('watch', 'custom.metrics.{api}', '*') },
    { since: 34, rule: rule(read, 'external.metrics.{api}', '*') },
  ],
  'job-controller': [{ since: 23, rule: rule('patch', 'batch', 'jobs') }],
  'namespace-controller': [{ since: 34, rule: rule('watch', '*', '*') }],
  'node-controller': [
    { since: 26, rule: rule('get watch', 'core', 'pods') },
    { since: 26, rule: rule('patch', 'core', 'pods/status') },
    { since: 34, rule: rule('watch', 'core', 'nodes') },
  ],
  'persistent-volume-binder': [{ since: 34, rule: rule('watch', 'core', 'nodes') }],
  'pod-garbage-collector': [
    { since: 26, rule: rule('patch', 'core', 'pods/status') },
    { since: 34, rule: rule('watch', 'core', 'nodes') },
  ],
  'statefulset-controller': [
    {
      gate: 'StatefulSetAutoDeletePVC',
      rule: rule('delete list update watch', 'core', 'persistentvolumeclaims'),
    },
    { gate: 'StatefulSetAutoDeletePVC', rule: rule('update', 'core', 'pods/finalizers') },
  ],
};

/** Leases take the place of config maps. */
function leaderLocking(component: string): Record<string, readonly LaterRule[]> {
  return {
    [`system::leader-locking-${component}`]: [
      { since: 31, rule: rule(`create update ${read}`, 'coordination.{api}', 'leases') },
      { since: 31, rule: rule(`create update ${read}`, 'coordination.{api}', 'leasecandidates') },
    ],
  };
}

/** The rules of a release that a role has beside those that every release gives it. */
export function laterRulesOf(role: string, served: ServedPolicy): PolicyRule[] {
  const rules = laterRules[role.replace(/^system:controller:/, '')] ?? [];
  return rules.filter((later) => isLiving(later, served)).map((later) => later.rule);
}
