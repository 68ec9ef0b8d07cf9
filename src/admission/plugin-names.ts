/** The admission plugins that there are, and what the flags choose of them. Names and defaults are those of Kubernetes 1.21, with PodSecurity of 1.22 and those of later releases. */

/** In the order in which they run; the order in the flags does not matter. */
export const admissionPluginNames = [
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'NamespaceExists',
  'SecurityContextDeny',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodSecurityPolicy',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'PersistentVolumeLabel',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DenyServiceExternalIPs',
  'PodTopologyLabels',
  // What changes objects stands above: webhooks see what all others made of them.
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  // Behind all that may refuse for a reason: what it takes from a quota, the write uses.
  'ResourceQuota',
  'AlwaysDeny',
] as const;

export type AdmissionPluginName = (typeof admissionPluginNames)[number];

/** Minor numbers of the releases that brought a plugin; those of 1.21 are not listed. */
const introducedIn: ReadonlyMap<string, number> = new Map([
  ['ValidatingAdmissionPolicy', 26],
  ['MutatingAdmissionPolicy', 32],
  ['ClusterTrustBundleAttest', 27],
  ['PodTopologyLabels', 33],
]);

/** Minor numbers of the releases that have a plugin no more. */
const removedIn: ReadonlyMap<string, number> = new Map([['SecurityContextDeny', 30]]);

/** The plugins that a release 1.x knows. */
export function pluginNamesOf(minor: number): readonly AdmissionPluginName[] {
  return admissionPluginNames.filter(
    (name) => (introducedIn.get(name) ?? 0) <= minor && minor < (removedIn.get(name) ?? Infinity),
  );
}

/** These are off by default. */
const offByDefault: ReadonlySet<string> = new Set([
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'SecurityContextDeny',
  'LimitPodHardAntiAffinityTopology',
  'NodeRestriction',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodSecurityPolicy',
  'PodNodeSelector',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'PersistentVolumeLabel',
  'OwnerReferencesPermissionEnforcement',
  'DenyServiceExternalIPs',
  'AlwaysDeny',
]);

export const defaultPluginNames: readonly AdmissionPluginName[] = admissionPluginNames.filter(
  (name) => !offByDefault.has(name),
);

/** Minor numbers of the releases from which on a plugin is on by default; there its gate decides whether it does something. */
const onSince: ReadonlyMap<string, number> = new Map([['PodSecurity', 22]]);

/**
 * The defaults with what is enabled and without what is disabled; a name in both is an error in the flags.
 * @param minor of the release that is emulated: it has no later plugins
 */
export function choosePlugins(
  enabled: readonly AdmissionPluginName[],
  disabled: readonly AdmissionPluginName[],
  minor: number,
): ReadonlySet<AdmissionPluginName> {
  const known = new Set(pluginNamesOf(minor));
  const later = admissionPluginNames.filter((name) => minor >= (onSince.get(name) ?? Infinity));
  const chosen = new Set([...defaultPluginNames, ...later, ...enabled].filter((name) => known.has(name)));
  for (const name of disabled) chosen.delete(name);
  return chosen;
}
