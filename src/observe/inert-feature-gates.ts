/**
 * Gates of release 1.21 that change nothing in this server: those of nodes, the scheduler and controllers, and those
 * whose feature it always or never has (reference of the command line, `--feature-gates`).
 */
export const inertFeatureGates: ReadonlySet<string> = new Set([
  ...['APIServerIdentity', 'AdvancedAuditing', 'AllowInsecureBackendProxy', 'AnyVolumeDataSource'],
  ...['AppArmor', 'BalanceAttachedNodeVolumes', 'BoundServiceAccountTokenVolume', 'CPUManager'],
  ...['CRIContainerLogRotation', 'CSIMigrationAWS', 'CSIMigrationAzureDisk', 'CSIMigrationAzureFile'],
  ...['CSIMigrationGCE', 'CSIMigrationOpenStack', 'CSIMigrationvSphere', 'CSIMigrationvSphereComplete'],
  ...['CSIVolumeHealth', 'ConfigurableFSGroupPolicy', 'ControllerManagerLeaderMigration'],
  ...['CronJobControllerV2', 'CustomCPUCFSQuotaPeriod', 'DefaultPodTopologySpread', 'DevicePlugins'],
  ...['DisableAcceleratorUsageMetrics', 'DownwardAPIHugePages', 'DynamicKubeletConfig'],
  ...['EfficientWatchResumption', 'EndpointSlice', 'EndpointSliceNodeName', 'EndpointSliceProxying'],
  ...['ExecProbeTimeout', 'ExpandCSIVolumes', 'ExpandInUsePersistentVolumes', 'ExpandPersistentVolumes'],
  ...['ExperimentalHostUserNamespaceDefaulting', 'ExternalPolicyForExternalIP', 'GenericEphemeralVolume'],
  ...['GracefulNodeShutdown', 'HugePageStorageMediumSize', 'ImmutableEphemeralVolumes'],
  ...['InTreePluginAWSUnregister', 'InTreePluginAzureDiskUnregister', 'InTreePluginAzureFileUnregister'],
  ...['InTreePluginGCEUnregister', 'InTreePluginOpenStackUnregister', 'InTreePluginvSphereUnregister'],
  ...['KubeletCredentialProviders', 'KubeletPodResources', 'KubeletPodResourcesGetAllocatable'],
  ...['LegacyNodeRoleBehavior', 'LocalStorageCapacityIsolation'],
  ...['LocalStorageCapacityIsolationFSQuotaMonitoring', 'LogarithmicScaleDown', 'MemoryManager'],
  ...['MixedProtocolLBService', 'NodeDisruptionExclusion', 'NodeLease', 'PodDeletionCost'],
  ...['PodDisruptionBudget', 'PodOverhead', 'PreferNominatedNode', 'QOSReserved', 'RemainingItemCount'],
  ...['RemoveSelfLink', 'RootCAConfigMap', 'RotateKubeletServerCertificate', 'RunAsGroup', 'RuntimeClass'],
  ...['SCTPSupport', 'SelectorIndex', 'ServiceAccountIssuerDiscovery', 'ServiceAppProtocol'],
  ...['ServiceNodeExclusion', 'SetHostnameAsFQDN', 'SizeMemoryBackedVolumes', 'StartupProbe'],
  ...['StorageObjectInUseProtection', 'StorageVersionAPI', 'StorageVersionHash', 'StreamingProxyRedirects'],
  ...['SupportNodePidsLimit', 'SupportPodPidsLimit', 'Sysctls', 'TopologyManager', 'ValidateProxyRedirects'],
  ...['VolumeCapacityPriority', 'VolumeSnapshotDataSource', 'VolumeSubpath', 'WarningHeaders', 'WinDSR'],
  ...['WinOverlay', 'WindowsEndpointSliceProxying'],
]);
