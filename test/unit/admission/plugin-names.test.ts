import { choosePlugins, defaultPluginNames, pluginNamesOf } from '../../../src/admission/plugin-names.ts';
import { admissionPluginNames } from '../../../src/admission/plugin-names.ts';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';

test('flags add to the defaults and take away from them', async () => {
  const { config, errors } = await configFromFlags({ 'disable-admission-plugins': 'ServiceAccount' });
  expect(errors).toEqual([]);
  expect([...config.admission.plugins]).toEqual(
    defaultPluginNames.filter((n) => n !== 'ServiceAccount' && pluginNamesOf(21).includes(n)),
  );
  expect([...choosePlugins(admissionPluginNames, [], 29)].sort()).toEqual(
    admissionPluginNames.filter((name) => pluginNamesOf(29).includes(name)).sort(),
  );
});

test('NodeRestriction is enabled with the authorization mode Node, unless it is disabled', async () => {
  const mode = { 'authorization-mode': 'Node,RBAC' };
  const isOn = async (more: object): Promise<boolean> =>
    (await configFromFlags({ ...mode, ...more })).config.admission.plugins.has('NodeRestriction');
  expect(await isOn({})).toBe(true);
  expect(await isOn({ 'disable-admission-plugins': 'NodeRestriction' })).toBe(false);
  expect(await isOn({ 'authorization-mode': 'RBAC' })).toBe(false);
});

test('unknown names and names in both flags are errors that list what there is', async () => {
  const { errors } = await configFromFlags({
    'enable-admission-plugins': 'ServiceAcount,NamespaceLifecycle',
    'disable-admission-plugins': 'NamespaceLifecycle',
  });
  expect(errors.map(({ cause }) => cause)).toEqual([
    'flag --enable-admission-plugins names "ServiceAcount"',
    'flags --enable-admission-plugins and --disable-admission-plugins both name NamespaceLifecycle',
  ]);
  expect(errors[0]?.remedy).toContain(pluginNamesOf(21).join(', '));
});

test('a plugin is known from its release on', async () => {
  const disabled = { 'disable-admission-plugins': 'ValidatingAdmissionPolicy' };
  const known = async (release: string, more: object = {}): Promise<readonly [number, boolean]> => {
    const { config, errors } = await configFromFlags({ 'emulated-release': release, ...more });
    return [errors.length, config.admission.plugins.has('ValidatingAdmissionPolicy')];
  };
  expect(await known('1.25')).toEqual([0, false]);
  expect(await known('1.25', disabled)).toEqual([0, false]);
  expect(await known('1.25', { 'enable-admission-plugins': 'ValidatingAdmissionPolicy' })).toEqual([
    1,
    false,
  ]);
  expect(await known('1.26')).toEqual([0, true]);
  expect(await known('1.30', disabled)).toEqual([0, false]);
});

test.each([
  ['1.21', '', 0],
  ['1.26', '', 0],
  ['1.27', '', 1],
  ['1.29', 'SecurityContextDeny=true', 0],
  ['1.30', '', 1],
])('SecurityContextDeny in %s with gates "%s": %d errors', async (release, gates, count) => {
  const flags = { 'enable-admission-plugins': 'SecurityContextDeny', 'feature-gates': gates };
  const { errors } = await configFromFlags({ 'emulated-release': release, ...flags });
  expect(errors).toHaveLength(count);
});

test.each([
  ['1.21', false],
  ['1.22', true],
  ['1.36', true],
])('PodSecurity is on by default in %s: %s', async (release, expected) => {
  const { config } = await configFromFlags({ 'emulated-release': release });
  expect(config.admission.plugins.has('PodSecurity')).toBe(expected);
});

/** The order that Kubernetes 1.21 recommends, as far as its plugins are here; those marked are off there. */
const recommended = `
  AlwaysAdmit- NamespaceAutoProvision- NamespaceLifecycle NamespaceExists- SecurityContextDeny-
  LimitPodHardAntiAffinityTopology- LimitRanger ServiceAccount NodeRestriction- TaintNodesByCondition
  AlwaysPullImages- ImagePolicyWebhook- PodSecurity- PodSecurityPolicy- PodNodeSelector- Priority DefaultTolerationSeconds PodTolerationRestriction-
  EventRateLimit- ExtendedResourceToleration- PersistentVolumeLabel- DefaultStorageClass
  StorageObjectInUseProtection OwnerReferencesPermissionEnforcement- PersistentVolumeClaimResize RuntimeClass
  CertificateApproval CertificateSigning ClusterTrustBundleAttest CertificateSubjectRestriction DefaultIngressClass DenyServiceExternalIPs- PodTopologyLabels
  MutatingAdmissionPolicy MutatingAdmissionWebhook ValidatingAdmissionPolicy ValidatingAdmissionWebhook ResourceQuota AlwaysDeny-
`
  .trim()
  .split(/\s+/);

test('plugins run in the order of kube-apiserver, and are enabled as there', () => {
  expect(admissionPluginNames).toEqual(recommended.map((name) => name.replace('-', '')));
  expect(defaultPluginNames).toEqual(recommended.filter((name) => !name.endsWith('-')));
});
