/** Where this service differs from the facts of a release, and why: each table has its own, by the beginning of a line. */
import type { Exceptions } from './facts.ts';

const body = 'a body of requests or answers, of other servers or of a subresource: no resource of its own';
const options = 'options of a connection, in the query';
const inFiles = 'of files and annotations, or of what the server keeps for itself';
const leftServer = 'the server stopped serving it in 1.23, though its types stayed';
const ofController =
  'what a controller beside the scheduler needed (1.31 alone), which no later version has; and a key that later releases set';
const laterTypes = 'its life begins with that of the other kind; its types came with 1.29';
const neverServed = 'not served by 1.21 nor later: what is stored of it is older';
const isSpecified = 'the specification says so';

/** Of `lifecycle.tsv`. */
export const lifeExceptions: Exceptions = {
  'admission.orch.io/v1.AdmissionReview': body,
  'admission.orch.io/v1beta1.AdmissionReview': body,
  'apidiscovery.orch.io/': body,
  'apiextensions.orch.io/v1.ConversionReview': body,
  'apiextensions.orch.io/v1beta1.ConversionReview': body,
  'authentication.orch.io/v1.TokenRequest': body,
  'autoscaling/v1.Scale': body,
  'core/v1.EphemeralContainers': body,
  'imagepolicy.orch.io/v1alpha1.ImageReview': body,
  'policy/v1.Eviction': body,
  'policy/v1beta1.Eviction': body,
  'core/v1.NodeProxyOptions': options,
  'core/v1.PodAttachOptions': options,
  'core/v1.PodExecOptions': options,
  'core/v1.PodLogOptions': options,
  'core/v1.PodPortForwardOptions': options,
  'core/v1.PodProxyOptions': options,
  'core/v1.ServiceProxyOptions': options,
  'batch/v1beta1.JobTemplate': inFiles,
  'core/v1.PodStatusResult': inFiles,
  'core/v1.RangeAllocation': inFiles,
  'core/v1.SerializedReference': inFiles,
  'batch/v2alpha1.CronJob': isSpecified,
  'authentication.orch.io/v1alpha1.SelfSubjectReview is missing in 1.26': 'its gate is off',
  'node.orch.io/v1alpha1.RuntimeClass': leftServer,
  'rbac.authorization.orch.io/v1alpha1.': leftServer,
  'scheduling.orch.io/v1alpha1.PriorityClass': leftServer,
  'networking.orch.io/v1alpha1.ServiceCIDR is missing in 1.27': laterTypes,
  'networking.orch.io/v1alpha1.ServiceCIDR is missing in 1.28': laterTypes,
  'networking.orch.io/v1beta1.IngressClass replacement': 'the facts name the list',
  'core/v1.ComponentStatus deprecated': 'deprecated in 1.19, which its marks do not say; the reference warns',
  'core/v1.Endpoints ': 'deprecated in 1.33, which its marks do not say; the reference warns',
};

/** Of versions that are on by default though they are betas that came late (KEP-3136): others of the kind were on before. */
export const lateBetas: Exceptions = { 'flowcontrol.apiserver.orch.io/v1beta3.': 'its v1beta2 was on' };

/** Of `kinds.tsv`. */
export const kindExceptions: Exceptions = {
  'core/v1.ComponentStatus listKind': 'there is a list, though nothing is stored',
};

const read124 = 'what release 1.24 registers; the facts were read from those around it';
const renamed = 'until 1.27 the gate had another name, UserNamespacesStatelessPodsSupport, which was off';

/** Of `gates.tsv`. */
export const gateExceptions: Exceptions = {
  'CronJobTimeZone 1.24': read124,
  'IdentifyPodOS 1.24': read124,
  'MinDomainsInPodTopologySpread 1.24': read124,
  'MutatingAdmissionPolicy 1.30': 'registered two releases before its kinds',
  'MutatingAdmissionPolicy 1.31': 'registered two releases before its kinds',
  'UserNamespacesSupport 1.25': renamed,
  'UserNamespacesSupport 1.26': renamed,
  'UserNamespacesSupport 1.27': renamed,
  'core/v1.PodSpec.hostUsers guarded by': renamed,
};

/** Of `lives.tsv`. */
export const typeExceptions: Exceptions = {
  'resource/v1alpha3.': ofController,
  'extensions/v1beta1.NetworkPolicy': neverServed,
  'flowcontrol/v1alpha1.': neverServed,
};

const elsewhere = 'a rule of code beside the resource, with cases of its own';
const notValue = 'no value of the field';
const described = 'words of discovery documents, which this service writes and nobody sends';
const goneBefore = 'as in v1beta1: of versions that 1.36 does not have the facts know no defaults';
const noEffect = 'absent and the zero mean the same: nothing is written';
const embedded = 'the facts have it where the type is embedded';

/** Of `enums.tsv`. */
export const enumExceptions: Exceptions = {
  'admissionregistration/v1.MutatingWebhook.sideEffects closed': elsewhere,
  'admissionregistration/v1.ValidatingWebhook.sideEffects closed': elsewhere,
  'apiextensions/v1.JSONSchemaProps.': elsewhere,
  'apiextensions/v1beta1.JSONSchemaProps.': elsewhere,
  'apiextensions/v1.ValidationRule.reason closed': elsewhere,
  'apiextensions/v1beta1.ValidationRule.reason closed': elsewhere,
  'apidiscovery/': described,
  'certificates/v1.CertificateSigningRequestSpec.usages closed': elsewhere,
  'flowcontrol/v1alpha1.NonResourcePolicyRule.verbs': notValue,
  'flowcontrol/v1beta1.NonResourcePolicyRule.verbs': notValue,
};

/** Of `defaults.tsv`. */
export const defaultExceptions: Exceptions = {
  'rbac/v1.Subject.apiGroup is ""': noEffect,
  'rbac/v1beta1.Subject.apiGroup is ""': noEffect,
  'core/v1.LocalObjectReference.name is ""': noEffect,
  'core/v1.ReplicationControllerSpec.minReadySeconds is 0': noEffect,
  'extensions/v1beta1.ScaleSpec.replicas is 0': noEffect,
  'autoscaling/v1.ScaleSpec.replicas is 0': noEffect,
  'apps/v1beta1.ScaleSpec.replicas is 0': noEffect,
  'apps/v1beta2.ScaleSpec.replicas is 0': noEffect,
  'core/v1.PersistentVolume.spec.': elsewhere,
  'batch/v1.Job.spec.': elsewhere,
  'apps/v1.StatefulSet.spec.updateStrategy.type': elsewhere,
  'apps/v1beta2.StatefulSet.spec.updateStrategy.type': elsewhere,
  'apiextensions/v1.CustomResourceDefinition.spec.names.singular': elsewhere,
  'apiextensions/v1beta1.CustomResourceDefinition.spec.names.singular': elsewhere,
  'resource/v1.DeviceTaint.timeAdded': elsewhere,
  'resource/v1alpha3.DeviceTaint.timeAdded': elsewhere,
  'resource/v1alpha1.ResourceClaimSpec.allocationMode': goneBefore,
  'resource/v1alpha2.ResourceClaimSpec.allocationMode': goneBefore,
  'resource/v1alpha3.DeviceSubRequest.allocationMode': goneBefore,
  'resource/v1alpha3.DeviceToleration.operator': goneBefore,
  'resource/v1beta1.DeviceTaint.timeAdded': elsewhere,
  'resource/v1beta2.DeviceTaint.timeAdded': elsewhere,
  'core/v1.EphemeralContainerCommon.': embedded,
  'apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy.': embedded,
  'admissionregistration/v1.RuleWithOperations.scope': embedded,
  'admissionregistration/v1beta1.RuleWithOperations.scope': embedded,
  'admissionregistration/v1.NamedRuleWithOperations.scope': embedded,
  'admissionregistration/v1alpha1.NamedRuleWithOperations.scope': embedded,
  'admissionregistration/v1beta1.NamedRuleWithOperations.scope': embedded,
  'batch/v2alpha1.CronJobSpec.': isSpecified,
  'certificates/v1alpha1.PodCertificateRequestSpec.maxExpirationSeconds':
    'of 1.34 alone, which the facts do not have',
};

/** Of `columns.tsv`. */
export const columnExceptions: Exceptions = {
  '(custom resource)': 'said by each definition',
  '(default)': 'what kinds without columns of their own have: none is served',
  Scale: 'of a subresource',
  Status: 'of answers',
};

/** Of `strategies.tsv`. */
export const strategyExceptions: Exceptions = {
  'core/v1.Event true|true|unsupported': 'events have no dependents',
  'events.orch.io/v1.Event true|true|unsupported': 'events have no dependents',
  'events.orch.io/v1beta1.Event true|true|unsupported': 'events have no dependents',
};

/** Of `groups.tsv`. */
export const groupExceptions: Exceptions = {
  'batch/v2alpha1': isSpecified,
  'coordination.orch.io/v1alpha2 16500|12': 'the order of versions is the same, and 1.21 has v1beta1 at 9',
  'coordination.orch.io/v1beta1 16500|13': 'the order of versions is the same, and 1.21 has v1beta1 at 9',
};

/** Of `subresources.tsv`. */
export const subresourceExceptions: Exceptions = {
  'batch/v2alpha1/cronjobs/status': isSpecified,
  'core/v1/pods/log core/v1.Pod get, here core/v1.Pod get connect':
    'served as a stream, which is a connection here',
};

const keptRule =
  'a rule of 1.21 that some release before 1.34 took back, the facts do not know which: no release takes it from who has it';
const ownControllers = 'the controllers of this service may run as a program of their own';

/** Of `rbac.tsv`: `-` what is not here, `+` what is here only. */
export const roleExceptions: Exceptions = {
  '+ system:kubelet-api-admin core nodes/spec': keptRule,
  '+ system:kube-scheduler core endpoints': keptRule,
  '+ system:kube-controller-manager core endpoints': keptRule,
  '+ system:controller:persistent-volume-binder core ': keptRule,
  '+ system:controller:horizontal-pod-autoscaler core services/proxy ': keptRule,
  '+ system:controller:expand-controller ': keptRule,
  '+ orch-system/system::leader-locking-orch-controller-manager': ownControllers,
};

/** Of `rbac-bindings.tsv`. */
export const bindingExceptions: Exceptions = {
  '- orch-system/system::leader-locking-kube-controller-manager Role system::leader-locking-kube-controller-manager ServiceAccount orch-system/leader-election-controller':
    'the account of a controller that is in this service',
  '+ system:controller:service-cidrs-controller ': ownControllers,
  '+ system:controller:legacy-service-account-token-cleaner ': ownControllers,
  '+ system:orch-controller-manager': ownControllers,
  '+ orch-system/system:orch-controller-manager': ownControllers,
  '+ kube-public/system:orch-controller-manager': ownControllers,
  '+ orch-system/system::leader-locking-orch-controller-manager': ownControllers,
};
