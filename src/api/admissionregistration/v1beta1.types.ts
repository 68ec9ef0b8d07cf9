/** Types of admissionregistration/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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
  admissionReviewVersions?: string[] | undefined;
  /** Exact: only the rules as written; Equivalent: also other versions of the same resource. */
  matchPolicy?: string | undefined;
  /** Whether to call again when a later step changes the object. */
  reinvocationPolicy?: string | undefined;
  /** Labels of the objects meant. */
  objectSelector?: LabelSelector | undefined;
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
  admissionReviewVersions?: string[] | undefined;
  /** Exact: only the rules as written; Equivalent: also other versions of the same resource. */
  matchPolicy?: string | undefined;
  /** Labels of the objects meant. */
  objectSelector?: LabelSelector | undefined;
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

/** How to reach a webhook: by URL or service. */
export interface WebhookClientConfig {
  /** Service to call. */
  service?: ServiceReference | undefined;
  /** PEM certificates that the server's certificate is checked with. */
  caBundle?: string | undefined;
  /** Address to call. */
  url?: string | undefined;
}
