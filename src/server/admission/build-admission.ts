/** Builds the enabled admission plugins in their order. */
import type { AccessChecker, AccessDecider } from '../../admission/access-checker.ts';
import { createAlwaysAdmit, createAlwaysDeny } from '../../admission/always.ts';
import { createAlwaysPullImages } from '../../admission/always-pull-images.ts';
import {
  createCertificateApproval,
  createCertificateSigning,
  createClusterTrustBundleAttest,
  createCertificateSubjectRestriction,
} from '../../admission/certificates.ts';
import { createAdmissionChain, type AdmissionPlugin } from '../../admission/admission-chain.ts';
import { createDefaultIngressClass } from '../../admission/default-ingress-class.ts';
import { createDefaultStorageClass } from '../../admission/default-storage-class.ts';
import { createDefaultTolerationSeconds } from '../../admission/default-toleration-seconds.ts';
import { createDenyServiceExternalIPs } from '../../admission/deny-service-external-ips.ts';
import { createExtendedResourceToleration } from '../../admission/extended-resource-toleration.ts';
import { createImagePolicyWebhook } from '../../admission/image-policy-webhook.ts';
import { createLimitPodHardAntiAffinityTopology } from '../../admission/limit-pod-hard-anti-affinity-topology.ts';
import { createNamespaceAutoProvision } from '../../admission/namespace-auto-provision.ts';
import { createNamespaceExists } from '../../admission/namespace-exists.ts';
import { createOwnerReferencesPermissionEnforcement } from '../../admission/owner-references-permission-enforcement.ts';
import { createPersistentVolumeLabel } from '../../admission/persistent-volume-label.ts';
import { createPodSecurity } from '../../admission/pod-security/plugin.ts';
import { createPodSecurityPolicy } from '../../admission/pod-security-policy/plugin.ts';
import { createPodTolerationRestriction } from '../../admission/pod-toleration-restriction.ts';
import { createSecurityContextDeny } from '../../admission/security-context-deny.ts';
import { createEventRateLimit } from '../../admission/event-rate-limit.ts';
import { createLimitRanger } from '../../admission/limit-ranger.ts';
import { createNamespaceLifecycle, namespacesIn } from '../../admission/namespace-lifecycle.ts';
import { createPodTopologyLabels } from '../../admission/pod-topology-labels.ts';
import type { LateRestrictions } from '../../admission/node-restriction/node-request.ts';
import { createNodeRestriction } from '../../admission/node-restriction/plugin.ts';
import type { ObjectReader } from '../../admission/object-reader.ts';
import { createPersistentVolumeClaimResize } from '../../admission/persistent-volume-claim-resize.ts';
import { admissionPluginNames, type AdmissionPluginName } from '../../admission/plugin-names.ts';
import { createPodNodeSelector } from '../../admission/pod-node-selector.ts';
import { createPriorityPlugin } from '../../admission/priority.ts';
import { createResourceQuotaPlugin } from '../../admission/resource-quota.ts';
import { createRuntimeClassPlugin } from '../../admission/runtime-class.ts';
import { createServiceAccountPlugin } from '../../admission/service-account.ts';
import { createStorageObjectInUseProtection } from '../../admission/storage-object-in-use-protection.ts';
import { createTaintNodesByCondition } from '../../admission/taint-nodes-by-condition.ts';
import { createMutatingPolicyIndex } from '../../admission/mutating-policy/mutating-policy.ts';
import { createMutatingPolicies } from '../../admission/mutating-policy/plugin.ts';
import {
  policyCollections,
  startPolicyInformer,
  type PolicyIndex,
  type PolicyInformer,
  type PolicyPrefix,
} from '../../admission/policy/policy-index.ts';
import type { Binding, Policy } from '../../admission/policy/policy.ts';
import { createValidatingPolicies } from '../../admission/validating-policy/plugin.ts';
import { createValidatingPolicyIndex } from '../../admission/validating-policy/validating-policy.ts';
import { configurationsGroup } from '../../admission/webhook/configurations.ts';
import { createMutatingWebhooks } from '../../admission/webhook/mutating-webhooks.ts';
import type { WebhookDependencies } from '../../admission/webhook/dependencies.ts';
import { createValidatingWebhooks } from '../../admission/webhook/validating-webhooks.ts';
import type { Authorizer } from '../../authz/types.ts';
import type { Environment } from '../../base/environment.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { countRequests, type ClientFamilies } from '../../observe/client-metrics.ts';
import { createAdmissionMetrics, type AdmissionMetrics } from '../../observe/admission-metrics.ts';
import { createExpressionMetrics } from '../../observe/expression-metrics.ts';
import { observeExpressions } from '../../cel/times.ts';
import type { Logger } from '../../observe/log.ts';
import { createPodSecurityMetrics } from '../../observe/pod-security-metrics.ts';
import type { Metrics } from '../../observe/metrics.ts';
import { RepeatedLines } from '../../observe/repeated-lines.ts';
import type { AdmissionChain, ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import type { Storage } from '../../storage/types.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import { createAccessChecker, createSignerPermission } from './access-checker.ts';
import { createImagePolicyClient } from './image-policy-client.ts';
import { createNamespacePods } from './namespace-pods.ts';
import { createNamespaceProvision } from './namespace-provision.ts';
import { createQuotaAccessor } from './quota-accessor.ts';
import { serviceRouting } from '../services/service-routing.ts';
import { createServiceResolver } from '../../webhook/service-resolver.ts';
import { createStorageReader } from './storage-reader.ts';
import { WebhookClients } from '../../webhook/webhook-clients.ts';

export interface Admission {
  readonly chain: AdmissionChain;
  /**
   * The chain without webhooks, policies and AlwaysDeny, for objects that the service maintains: an unreachable webhook must not
   * prevent readiness, or it could not be removed.
   */
  readonly ownChain: AdmissionChain;
  /** Aborts webhook calls in progress. */
  close(): void;
}

export interface AdmissionParts {
  readonly environment: Environment;
  readonly naming: NamingProfile;
  /** Authorizes users to act for certificate signers. */
  readonly authorizer: Authorizer;
  readonly storage: Pick<Storage, 'peek' | 'get' | 'view' | 'watch'>;
  readonly catalogue: ResourceCatalogue;
  /** Called lazily, as the verbs depend on admission. */
  readonly verbs: () => ResourceVerbs;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly metrics: Metrics;
  readonly serverMetrics: ClientFamilies;
  readonly logger: Logger;
}

type PluginMakers = Readonly<Record<AdmissionPluginName, () => AdmissionPlugin>>;

/** The caller closes it. */
export function buildAdmission(config: CompletedConfig, parts: AdmissionParts): Admission {
  const { environment, naming } = parts;
  const reader = createStorageReader(parts.storage);
  const onSent = countRequests(parts.serverMetrics);
  const resolver = createServiceResolver(reader, serviceRouting(config), environment.random);
  const clients = new WebhookClients(resolver, naming, { ...environment, onSent });
  const access = createAccessChecker(parts.authorizer);
  const imagePolicy = createImagePolicyClient(environment, config.files.admission.imagePolicy, onSent);
  const metrics = createAdmissionMetrics(parts.metrics);
  const expressions = observedExpressions(parts.metrics);
  const failures = failuresOf(parts);
  const webhooks = webhookParts(parts, metrics, { reader, clients, failures, access });
  const policies = policiesOf(config, parts, { ...webhooks, reader });
  const makers: PluginMakers = {
    ...securityMakers(config, parts, { reader, access }),
    ...certificateMakers(access, naming),
    ...nodeMakers(config, parts, { reader, access }),
    AlwaysAdmit: createAlwaysAdmit,
    NamespaceAutoProvision: () => createNamespaceAutoProvision(createNamespaceProvision(reader, parts)),
    NamespaceLifecycle: () => createNamespaceLifecycle(namespacesIn(reader)),
    NamespaceExists: () => createNamespaceExists(reader),
    SecurityContextDeny: createSecurityContextDeny,
    LimitPodHardAntiAffinityTopology: () => createLimitPodHardAntiAffinityTopology(naming),
    LimitRanger: () => createLimitRanger(reader, naming),
    ServiceAccount: () => createServiceAccountPlugin(reader, naming, environment),
    AlwaysPullImages: createAlwaysPullImages,
    ImagePolicyWebhook: () => createImagePolicyWebhook({ ...imagePolicy, naming }),
    PodNodeSelector: () => createPodNodeSelector(reader, naming),
    Priority: () => createPriorityPlugin(reader, naming),
    DefaultTolerationSeconds: () => createDefaultTolerationSeconds(naming, config.admission.tolerations),
    PodTolerationRestriction: () =>
      createPodTolerationRestriction(reader, config.files.admission.podTolerations, naming),
    EventRateLimit: () => createEventRateLimit(config.files.admission.eventLimits, naming, environment.clock),
    ExtendedResourceToleration: () => createExtendedResourceToleration(naming),
    PersistentVolumeLabel: () => createPersistentVolumeLabel(naming),
    DefaultStorageClass: () => createDefaultStorageClass(reader, naming),
    StorageObjectInUseProtection: () => createStorageObjectInUseProtection(naming),
    PersistentVolumeClaimResize: () => createPersistentVolumeClaimResize(reader, naming),
    RuntimeClass: () => createRuntimeClassPlugin(reader, naming),
    DefaultIngressClass: () => createDefaultIngressClass(reader, naming),
    DenyServiceExternalIPs: createDenyServiceExternalIPs,
    MutatingAdmissionPolicy: () => policies.mutating,
    MutatingAdmissionWebhook: () => createMutatingWebhooks(webhooks),
    ValidatingAdmissionPolicy: () => policies.validating,
    ValidatingAdmissionWebhook: () => createValidatingWebhooks(webhooks),
    ResourceQuota: () => resourceQuota(reader, parts, environment),
    AlwaysDeny: createAlwaysDeny,
  };
  const plugins = chosenPlugins(config, makers);
  const ownPlugins = plugins.filter(({ name }) => !notForOwnWrites.has(name));
  const timing = { ...metrics, clock: environment.clock };
  return {
    chain: createAdmissionChain(plugins, timing),
    ownChain: createAdmissionChain(ownPlugins, timing),
    close: () => {
      for (const each of [clients, imagePolicy, failures, policies, expressions]) each.close();
    },
  };
}

function nodeMakers(
  config: CompletedConfig,
  parts: AdmissionParts,
  { reader, access }: { readonly reader: ObjectReader; readonly access: AccessChecker },
): Pick<PluginMakers, 'NodeRestriction' | 'TaintNodesByCondition' | 'PodTopologyLabels'> {
  const { naming, isFeatureEnabled } = parts;
  return {
    NodeRestriction: () => createNodeRestriction(reader, naming, lateRestrictions(config, parts, access)),
    TaintNodesByCondition: () => createTaintNodesByCondition(naming),
    PodTopologyLabels: () =>
      isFeatureEnabled('PodTopologyLabelsAdmission')
        ? createPodTopologyLabels(reader, naming)
        : { name: 'PodTopologyLabels' },
  };
}

function lateRestrictions(
  { emulatedRelease }: CompletedConfig,
  { isFeatureEnabled }: AdmissionParts,
  access: AccessChecker,
): LateRestrictions {
  return {
    slices: isFeatureEnabled('DynamicResourceAllocation'),
    podCertificates: isFeatureEnabled('PodCertificateRequest'),
    certificates: emulatedRelease.minor >= 31,
    reportsGrowth: isFeatureEnabled('RecoverVolumeExpansionFailure'),
    ...(isFeatureEnabled('ServiceAccountNodeAudienceRestriction') && {
      mayAsk: async ({ scope, name }, audience) => {
        const about = { verb: 'request-serviceaccounts-token-audience', group: '', resource: audience };
        return (await access.check(scope.user, { ...about, namespace: scope.namespace, name })).isAllowed;
      },
    }),
  };
}

/** In the order of the chain. */
function chosenPlugins({ admission }: CompletedConfig, makers: PluginMakers): AdmissionPlugin[] {
  return admissionPluginNames.filter((name) => admission.plugins.has(name)).map((name) => makers[name]());
}

/** Measures expressions until it is closed. */
function observedExpressions(metrics: Metrics): { readonly close: () => void } {
  const { compilation, evaluation } = createExpressionMetrics(metrics);
  return {
    close: observeExpressions({
      compiled: (seconds) => compilation.observe(seconds),
      evaluated: (seconds) => evaluation.observe(seconds),
    }),
  };
}

const policyPlugins: Readonly<Record<PolicyPrefix, AdmissionPluginName>> = {
  mutating: 'MutatingAdmissionPolicy',
  validating: 'ValidatingAdmissionPolicy',
};

/** The kinds of policies that count: the plugin is enabled, and so is the gate of the same name. */
export function obeyedPolicies(
  { admission: { plugins } }: Pick<CompletedConfig, 'admission'>,
  isFeatureEnabled: (gate: string) => boolean,
): readonly PolicyPrefix[] {
  return (['mutating', 'validating'] as const).filter((prefix) => {
    const name = policyPlugins[prefix];
    return plugins.has(name) && isFeatureEnabled(name);
  });
}

interface PolicyPlugins {
  readonly mutating: AdmissionPlugin;
  readonly validating: AdmissionPlugin;
  close(): void;
}

/** The plugins of policies, which follow them if they count; without its gate one does nothing. The caller closes them. */
function policiesOf(
  config: CompletedConfig,
  { environment, naming, storage, isFeatureEnabled }: AdmissionParts,
  means: WebhookDependencies & { readonly reader: ObjectReader },
): PolicyPlugins {
  const obeyed = obeyedPolicies(config, isFeatureEnabled);
  const informers: { close(): void }[] = [];
  const followed = <P extends Policy, B extends Binding>(
    prefix: PolicyPrefix,
    index: PolicyIndex<P, B>,
    create: (informer: PolicyInformer<P, B>) => AdmissionPlugin,
  ): AdmissionPlugin => {
    if (!obeyed.includes(prefix)) return { name: policyPlugins[prefix] };
    const collections = policyCollections(configurationsGroup(naming), prefix);
    const informer = startPolicyInformer({ ...environment, storage }, collections, index);
    informers.push(informer);
    return create(informer);
  };
  return {
    mutating: followed('mutating', createMutatingPolicyIndex(), (informer) =>
      createMutatingPolicies({ ...means, informer }),
    ),
    validating: followed('validating', createValidatingPolicyIndex(), (informer) =>
      createValidatingPolicies({ ...means, informer }),
    ),
    close: () => {
      for (const informer of informers) informer.close();
    },
  };
}

/** Lines of webhooks that fail, each webhook for itself. */
function failuresOf({ environment, logger }: AdmissionParts): RepeatedLines {
  return new RepeatedLines({
    clock: environment.clock,
    logger: logger.child({ component: 'admission' }),
    keyOf: ({ webhook, configuration }) => `${String(configuration)}/${String(webhook)}`,
  });
}

/** Of plugins that ask who may do what, or what pods may do. */
function securityMakers(
  config: CompletedConfig,
  { naming, storage, catalogue, metrics: all, isFeatureEnabled }: AdmissionParts,
  { reader, access }: { readonly reader: ObjectReader; readonly access: AccessChecker },
): Pick<PluginMakers, 'PodSecurity' | 'PodSecurityPolicy' | 'OwnerReferencesPermissionEnforcement'> {
  const about = { config: config.files.admission.podSecurity, pods: createNamespacePods(storage) };
  // The first release that has the plugin is 1.22.
  const newest = Math.max(config.emulatedRelease.minor, 22);
  return {
    PodSecurity: () =>
      isFeatureEnabled('PodSecurity')
        ? createPodSecurity({ naming, reader, newest, ...about, metrics: createPodSecurityMetrics(all) })
        : { name: 'PodSecurity' },
    PodSecurityPolicy: () => createPodSecurityPolicy(reader, access, naming),
    OwnerReferencesPermissionEnforcement: () => createOwnerReferencesPermissionEnforcement(access, catalogue),
  };
}

function certificateMakers(
  access: AccessChecker,
  naming: NamingProfile,
): Pick<
  PluginMakers,
  'CertificateApproval' | 'CertificateSigning' | 'ClusterTrustBundleAttest' | 'CertificateSubjectRestriction'
> {
  const signers = createSignerPermission(access, naming);
  return {
    CertificateApproval: () => createCertificateApproval(signers, naming),
    CertificateSigning: () => createCertificateSigning(signers, naming),
    ClusterTrustBundleAttest: () => createClusterTrustBundleAttest(signers, naming),
    CertificateSubjectRestriction: () => createCertificateSubjectRestriction(naming),
  };
}

const notForOwnWrites: ReadonlySet<string> = new Set([
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'AlwaysDeny',
]);

interface WebhookMeans {
  readonly reader: ObjectReader;
  readonly clients: WebhookClients;
  readonly access: AccessDecider;
  /** Every request may meet a webhook that fails. */
  readonly failures: RepeatedLines;
}

function webhookParts(
  parts: AdmissionParts,
  metrics: AdmissionMetrics,
  { reader, clients, failures, access }: WebhookMeans,
): WebhookDependencies {
  const { environment, storage, catalogue, isFeatureEnabled } = parts;
  return {
    ...{ storage, catalogue, isFeatureEnabled, access },
    namespaces: namespacesIn(reader),
    ...environment,
    metrics,
    warn: (details, message) => {
      failures.warn(message, { ...details });
    },
    sendReview: (client, review, limits) => clients.sendReview(client, review, limits),
  };
}

function resourceQuota(
  reader: ObjectReader,
  parts: Parameters<typeof createQuotaAccessor>[0],
  { clock }: Environment,
): AdmissionPlugin {
  return createResourceQuotaPlugin(reader, createQuotaAccessor(parts, clock), clock);
}
