import { bootstrapPolicy, type BootstrapRbacObject } from '../../../src/authz/bootstrap/bootstrap-policy.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';

/** The policy of a release with its gates at their defaults, or with one enabled. */
function policyAt(minor: number, gate = ''): BootstrapRbacObject[] {
  const gates = createFeatureGates({}, featuresOf({ major: 1, minor }));
  const isFeatureEnabled = (name: string): boolean => name === gate || gates.isEnabled(name);
  return bootstrapPolicy(namingProfiles.kubernetes, { minor, isFeatureEnabled });
}

function rulesAt(role: string, minor: number, gate = ''): string {
  const found = policyAt(minor, gate).filter(({ name, plural }) => name === role && plural.endsWith('roles'));
  return JSON.stringify(found.map(({ object }) => object['rules']));
}

test.each([
  ['system:basic-user', 'selfsubjectreviews', 27],
  ['edit', 'leases', 27],
  ['admin', 'resourceclaimtemplates', 34],
  ['view', 'endpointslices', 22],
  ['system:kube-scheduler', 'namespaces', 22],
  ['system:kube-scheduler', 'leasecandidates', 31],
  ['system:kube-scheduler', 'resourceslices', 34],
  ['system::leader-locking-kube-scheduler', 'leases', 31],
  ['system:node-proxier', 'servicecidrs', 33],
  ['system:controller:pod-garbage-collector', 'pods/status', 26],
  ['system:controller:statefulset-controller', 'pods/finalizers', 27],
])('%s may use %s from 1.%d on', (role, resource, since) => {
  expect(rulesAt(role, since)).toContain(`"${resource}"`);
  expect(rulesAt(role, since - 1)).not.toContain(`"${resource}"`);
});

test('who may edit no longer leads traffic, since 1.22', () => {
  expect(rulesAt('edit', 21)).toContain('"endpoints"');
  expect(rulesAt('edit', 22)).not.toContain('"endpoints"]');
});

test.each([
  ['system:controller:legacy-service-account-token-cleaner', 29],
  ['system:controller:validatingadmissionpolicy-status-controller', 30],
  ['system:controller:selinux-warning-controller', 33],
  ['system:controller:service-cidrs-controller', 33],
  ['system:controller:resource-claim-controller', 34],
  ['system:controller:volumeattributesclass-protection-controller', 34],
])('%s since 1.%d, and it is given to its service account', (role, since) => {
  const at = (minor: number): BootstrapRbacObject[] => policyAt(minor).filter(({ name }) => name === role);
  expect(at(since - 1)).toEqual([]);
  expect(at(since).map(({ plural }) => plural)).toEqual(['clusterroles', 'clusterrolebindings']);
  const [account] = at(since)[1]?.object['subjects'] as { name: string }[];
  expect(`system:controller:${account?.name}`).toBe(role);
});

test.each([
  ['system:cluster-trust-bundle-discovery', 'ClusterTrustBundle', 30],
  ['system:controller:podcertificaterequestcleaner', 'PodCertificateRequest', 34],
  ['system:controller:storage-version-migrator-controller', 'StorageVersionMigrator', 30],
])('%s with the gate %s alone', (role, gate, minor) => {
  expect(rulesAt(role, minor)).toBe('[]');
  expect(rulesAt(role, minor, gate)).not.toBe('[]');
  expect(policyAt(minor, gate).some(({ name, plural }) => name === role && plural.endsWith('bindings'))).toBe(
    true,
  );
});

test('release 1.21 is what is specified', () => {
  expect(bootstrapPolicy(namingProfiles.kubernetes)).toEqual(policyAt(21));
});
