/**
 * The operations that a plugin is asked about: the others it neither sees nor is timed for. As each plugin of kube-apiserver says when it is
 * made (`admission.NewHandler`); webhooks, policies and the plugins that admit or deny everything see all.
 */
import type { AdmissionAttributes } from '../registry/types.ts';
import type { AdmissionPluginName } from './plugin-names.ts';

export type Operation = AdmissionAttributes['operation'];

const creations: readonly Operation[] = ['CREATE'];
const updates: readonly Operation[] = ['UPDATE'];
const writes: readonly Operation[] = ['CREATE', 'UPDATE'];
const changes: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE'];

const handled: Partial<Record<AdmissionPluginName, readonly Operation[]>> = {
  NamespaceAutoProvision: creations,
  NamespaceLifecycle: changes,
  NamespaceExists: changes,
  SecurityContextDeny: writes,
  LimitPodHardAntiAffinityTopology: writes,
  LimitRanger: writes,
  ServiceAccount: writes,
  NodeRestriction: changes,
  TaintNodesByCondition: creations,
  AlwaysPullImages: writes,
  ImagePolicyWebhook: writes,
  PodSecurity: writes,
  PodSecurityPolicy: writes,
  PodNodeSelector: creations,
  Priority: changes,
  DefaultTolerationSeconds: writes,
  PodTolerationRestriction: writes,
  EventRateLimit: writes,
  ExtendedResourceToleration: writes,
  PersistentVolumeLabel: creations,
  DefaultStorageClass: creations,
  StorageObjectInUseProtection: creations,
  OwnerReferencesPermissionEnforcement: writes,
  PersistentVolumeClaimResize: updates,
  RuntimeClass: creations,
  CertificateApproval: updates,
  CertificateSigning: updates,
  ClusterTrustBundleAttest: writes,
  CertificateSubjectRestriction: creations,
  DefaultIngressClass: creations,
  DenyServiceExternalIPs: writes,
  PodTopologyLabels: creations,
  ResourceQuota: writes,
};

/** Whether a plugin is asked about an operation. One that is not of this service is asked about all. */
export function handles(plugin: string, operation: Operation): boolean {
  return handled[plugin as AdmissionPluginName]?.includes(operation) ?? true;
}

/** What plugins do, by the operation: each list is made once. */
export class ByOperation<Run> {
  readonly #all: readonly { readonly name: string; readonly run: Run }[];
  readonly #known = new Map<Operation, readonly Run[]>();

  /** @param all in the order of the chain */
  constructor(all: readonly { readonly name: string; readonly run: Run }[]) {
    this.#all = all;
  }

  /** Of the plugins that are asked about it. */
  of(operation: Operation): readonly Run[] {
    const known = this.#known.get(operation);
    if (known !== undefined) return known;
    const asked = this.#all.filter(({ name }) => handles(name, operation)).map(({ run }) => run);
    this.#known.set(operation, asked);
    return asked;
  }
}
