/** Types of admissionregistration/v1; generated from v1.proto by `npm run generate`. */
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A change as server-side apply merges it. */
export interface ApplyConfiguration {
  /** CEL expression that gives the configuration to merge into the object. */
  expression?: string | undefined;
}

/** An annotation of the audit event. */
export interface AuditAnnotation {
  /** Name of the annotation; the name of the policy comes before it. */
  key?: string | undefined;
  /** CEL expression of the value: a text, or null for no annotation. */
  valueExpression?: string | undefined;
}

/** What is wrong with an expression of a policy. */
export interface ExpressionWarning {
  /** Path of the field with the expression. */
  fieldRef?: string | undefined;
  /** What the type check says. */
  warning?: string | undefined;
}

/** A change as a JSON patch. */
export interface JSONPatch {
  /** CEL expression that gives the list of operations. */
  expression?: string | undefined;
}

/** A condition that a request must meet. */
export interface MatchCondition {
  /** Name of the condition, unique in its list. */
  name?: string | undefined;
  /** CEL expression that must be true for the request to match. */
  expression?: string | undefined;
}

/** Which requests are meant. */
export interface MatchResources {
  /** Labels of the namespace of the object. */
  namespaceSelector?: LabelSelector | undefined;
  /** Labels of the object, before or after the change. */
  objectSelector?: LabelSelector | undefined;
  /** Operations on resources that match; one rule is enough. */
  resourceRules?: NamedRuleWithOperations[] | undefined;
  /** Operations on resources that never match. */
  excludeResourceRules?: NamedRuleWithOperations[] | undefined;
  /** Exact: only the versions named; Equivalent: also other versions of the same objects. */
  matchPolicy?: string | undefined;
}

/** Changes requests by CEL expressions before they are admitted. */
export interface MutatingAdmissionPolicy {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: MutatingAdmissionPolicySpec | undefined;
}

/** Puts a mutating policy to work, with parameters. */
export interface MutatingAdmissionPolicyBinding {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: MutatingAdmissionPolicyBindingSpec | undefined;
}

/** A list. */
export interface MutatingAdmissionPolicyBindingList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: MutatingAdmissionPolicyBinding[] | null | undefined;
}

/** What a mutating policy is bound to. */
export interface MutatingAdmissionPolicyBindingSpec {
  /** Name of the policy. */
  policyName?: string | undefined;
  /** Which objects are the parameters. */
  paramRef?: ParamRef | undefined;
  /** Narrows what the policy matches. */
  matchResources?: MatchResources | undefined;
}

/** A list. */
export interface MutatingAdmissionPolicyList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: MutatingAdmissionPolicy[] | null | undefined;
}

/** What a mutating policy changes, and when. */
export interface MutatingAdmissionPolicySpec {
  /** Kind of the parameters; absent: there are none. */
  paramKind?: ParamKind | undefined;
  /** Which requests the policy is about. */
  matchConstraints?: MatchResources | undefined;
  /** Named expressions that later ones may use. */
  variables?: Variable[] | undefined;
  /** The changes, in order. */
  mutations?: Mutation[] | undefined;
  /** What an expression that fails means: Fail refuses the request, Ignore lets it pass. */
  failurePolicy?: string | undefined;
  /** Conditions that a request must meet, too. */
  matchConditions?: MatchCondition[] | undefined;
  /** Never, or IfNeeded: again after others have changed the object. */
  reinvocationPolicy?: string | undefined;
}

/** A webhook that may change objects. */
export interface MutatingWebhook {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** How to reach the webhook. */
  clientConfig?: WebhookClientConfig | undefined;
  /** Rules, each of which may match. */
  rules?: RuleWithOperations[] | undefined;
  /** What to do when the call fails: Fail or Ignore. */
  failurePolicy?: string | undefined;
  /** Labels of the namespaces meant. */
  namespaceSelector?: LabelSelector | undefined;
  /** Whether the webhook changes anything besides its answer. */
  sideEffects?: string | undefined;
  /** Seconds to wait before giving up. */
  timeoutSeconds?: number | undefined;
  /** Versions of AdmissionReview that the webhook understands, best first. */
  admissionReviewVersions?: string[] | null | undefined;
  /** Exact: only the rules as written; Equivalent: also other versions of the same resource. */
  matchPolicy?: string | undefined;
  /** Whether to call again when a later step changes the object. */
  reinvocationPolicy?: string | undefined;
  /** Labels of the objects meant. */
  objectSelector?: LabelSelector | undefined;
  /** Conditions by CEL that a request must meet for the webhook to be called. */
  matchConditions?: MatchCondition[] | undefined;
}

/** Webhooks that may change objects. */
export interface MutatingWebhookConfiguration {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The webhooks, called for requests that match. */
  webhooks?: MutatingWebhook[] | undefined;
}

/** A list of MutatingWebhookConfiguration objects. */
export interface MutatingWebhookConfigurationList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: MutatingWebhookConfiguration[] | null | undefined;
}

/** One change of an object. */
export interface Mutation {
  /** ApplyConfiguration or JSONPatch. */
  patchType?: string | undefined;
  /** The change, merged as apply does. */
  applyConfiguration?: ApplyConfiguration | undefined;
  /** The change as a list of operations. */
  jsonPatch?: JSONPatch | undefined;
}

/** Operations on resources, and on objects by name. */
export interface NamedRuleWithOperations {
  /** Names of objects; none: all objects. */
  resourceNames?: string[] | undefined;
  /** Operations covered; * means all. */
  operations?: string[] | undefined;
  /** API groups covered; * means all. */
  apiGroups?: string[] | undefined;
  /** API versions covered; * means all. */
  apiVersions?: string[] | undefined;
  /** Resources meant. */
  resources?: string[] | undefined;
  /** Whether it is meant for the whole cluster or for namespaces. */
  scope?: string | undefined;
}

/** Kind of the parameters of a policy. */
export interface ParamKind {
  /** Group and version of the parameters. */
  apiVersion?: string | undefined;
  /** Kind of the parameters. */
  kind?: string | undefined;
}

/** Which objects are the parameters of a binding. */
export interface ParamRef {
  /** Name of the one parameter. */
  name?: string | undefined;
  /** Namespace of the parameters; absent: that of the object. */
  namespace?: string | undefined;
  /** Labels of the parameters, where no name is given. */
  selector?: LabelSelector | undefined;
  /** What a request meets without a parameter: Allow or Deny. */
  parameterNotFoundAction?: string | undefined;
}

/** Which resources are meant. */
export interface Rule {
  /** API groups covered; * means all. */
  apiGroups?: string[] | undefined;
  /** API versions covered; * means all. */
  apiVersions?: string[] | undefined;
  /** Resources meant. */
  resources?: string[] | undefined;
  /** Whether it is meant for the whole cluster or for namespaces. */
  scope?: string | undefined;
}

/** Which operations on which resources are meant. */
export interface RuleWithOperations {
  /** Operations covered; * means all. */
  operations?: string[] | undefined;
  /** API groups covered; * means all. */
  apiGroups?: string[] | undefined;
  /** API versions covered; * means all. */
  apiVersions?: string[] | undefined;
  /** Resources meant. */
  resources?: string[] | undefined;
  /** Whether it is meant for the whole cluster or for namespaces. */
  scope?: string | undefined;
}

/** Names a Service. */
export interface ServiceReference {
  /** Namespace of the object meant. */
  namespace?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
  /** Path to use. */
  path?: string | undefined;
  /** Port number. */
  port?: number | undefined;
}

/** What the type check of a policy has found. */
export interface TypeChecking {
  /** Expressions that do not fit the types. */
  expressionWarnings?: ExpressionWarning[] | undefined;
}

/** Judges requests by CEL expressions. */
export interface ValidatingAdmissionPolicy {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ValidatingAdmissionPolicySpec | undefined;
  /** What is observed. */
  status?: ValidatingAdmissionPolicyStatus | undefined;
}

/** Puts a validating policy to work, with parameters. */
export interface ValidatingAdmissionPolicyBinding {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ValidatingAdmissionPolicyBindingSpec | undefined;
}

/** A list. */
export interface ValidatingAdmissionPolicyBindingList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ValidatingAdmissionPolicyBinding[] | null | undefined;
}

/** What a validating policy is bound to. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** Name of the policy. */
  policyName?: string | undefined;
  /** Which objects are the parameters. */
  paramRef?: ParamRef | undefined;
  /** Narrows what the policy matches. */
  matchResources?: MatchResources | undefined;
  /** What a failure leads to: Deny, Warn or Audit. */
  validationActions?: string[] | undefined;
}

/** A list. */
export interface ValidatingAdmissionPolicyList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ValidatingAdmissionPolicy[] | null | undefined;
}

/** What a validating policy demands, and of which requests. */
export interface ValidatingAdmissionPolicySpec {
  /** Kind of the parameters; absent: there are none. */
  paramKind?: ParamKind | undefined;
  /** Which requests the policy is about. */
  matchConstraints?: MatchResources | undefined;
  /** The rules; each must hold. */
  validations?: Validation[] | undefined;
  /** What an expression that fails means: Fail refuses the request, Ignore lets it pass. */
  failurePolicy?: string | undefined;
  /** Annotations of the audit event. */
  auditAnnotations?: AuditAnnotation[] | undefined;
  /** Conditions that a request must meet, too. */
  matchConditions?: MatchCondition[] | undefined;
  /** Named expressions that later ones may use. */
  variables?: Variable[] | undefined;
}

/** What is known of a validating policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** Generation that the status is about. */
  observedGeneration?: number | undefined;
  /** Result of the type check. */
  typeChecking?: TypeChecking | undefined;
  /** What holds of the policy, by type. */
  conditions?: Condition[] | undefined;
}

/** A webhook that may refuse objects. */
export interface ValidatingWebhook {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** How to reach the webhook. */
  clientConfig?: WebhookClientConfig | undefined;
  /** Rules, each of which may match. */
  rules?: RuleWithOperations[] | undefined;
  /** What to do when the call fails: Fail or Ignore. */
  failurePolicy?: string | undefined;
  /** Labels of the namespaces meant. */
  namespaceSelector?: LabelSelector | undefined;
  /** Whether the webhook changes anything besides its answer. */
  sideEffects?: string | undefined;
  /** Seconds to wait before giving up. */
  timeoutSeconds?: number | undefined;
  /** Versions of AdmissionReview that the webhook understands, best first. */
  admissionReviewVersions?: string[] | null | undefined;
  /** Exact: only the rules as written; Equivalent: also other versions of the same resource. */
  matchPolicy?: string | undefined;
  /** Labels of the objects meant. */
  objectSelector?: LabelSelector | undefined;
  /** Conditions by CEL that a request must meet for the webhook to be called. */
  matchConditions?: MatchCondition[] | undefined;
}

/** Webhooks that may refuse objects. */
export interface ValidatingWebhookConfiguration {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The webhooks, called for requests that match. */
  webhooks?: ValidatingWebhook[] | undefined;
}

/** A list of ValidatingWebhookConfiguration objects. */
export interface ValidatingWebhookConfigurationList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ValidatingWebhookConfiguration[] | null | undefined;
}

/** A rule of a policy. */
export interface Validation {
  /** CEL expression that must be true. */
  expression?: string | undefined;
  /** What the client reads when the rule does not hold. */
  message?: string | undefined;
  /** Reason of the refusal, which decides its code. */
  reason?: string | undefined;
  /** CEL expression that gives the message; it takes precedence if it works. */
  messageExpression?: string | undefined;
}

/** A named expression of a policy. */
export interface Variable {
  /** Name, used as variables.NAME. */
  name?: string | undefined;
  /** CEL expression of the value, evaluated on first use. */
  expression?: string | undefined;
}

/** How to reach a webhook: by URL or service. */
export interface WebhookClientConfig {
  /** Service to call. */
  service?: ServiceReference | undefined;
  /** PEM certificates that the server's certificate is checked with. */
  caBundle?: string | undefined;
  /** Address to call. */
  url?: string | undefined;
}
