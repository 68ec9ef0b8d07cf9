/** Types of admissionregistration/v1; generated from v1.proto by `npm run generate`. */
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Mutating webhook. */
export interface MutatingWebhook {
  /** Name. */
  name?: string | undefined;
  /** Client config. */
  clientConfig?: WebhookClientConfig | undefined;
  /** Rules. */
  rules?: RuleWithOperations[] | undefined;
  /** Failure policy. */
  failurePolicy?: string | undefined;
  /** Namespace selector. */
  namespaceSelector?: LabelSelector | undefined;
  /** Side effects. */
  sideEffects?: string | undefined;
  /** Timeout seconds. */
  timeoutSeconds?: number | undefined;
  /** Admission review versions. */
  admissionReviewVersions?: string[] | null | undefined;
  /** Match policy. */
  matchPolicy?: string | undefined;
  /** Reinvocation policy. */
  reinvocationPolicy?: string | undefined;
  /** Object selector. */
  objectSelector?: LabelSelector | undefined;
}

/** Mutating webhook configuration. */
export interface MutatingWebhookConfiguration {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Webhooks. */
  webhooks?: MutatingWebhook[] | undefined;
}

/** Mutating webhook configuration list. */
export interface MutatingWebhookConfigurationList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: MutatingWebhookConfiguration[] | null | undefined;
}

/** Rule. */
export interface Rule {
  /** Api groups. */
  apiGroups?: string[] | undefined;
  /** Api versions. */
  apiVersions?: string[] | undefined;
  /** Resources. */
  resources?: string[] | undefined;
  /** Scope. */
  scope?: string | undefined;
}

/** Rule with operations. */
export interface RuleWithOperations {
  /** Operations. */
  operations?: string[] | undefined;
  /** Api groups. */
  apiGroups?: string[] | undefined;
  /** Api versions. */
  apiVersions?: string[] | undefined;
  /** Resources. */
  resources?: string[] | undefined;
  /** Scope. */
  scope?: string | undefined;
}

/** Service reference. */
export interface ServiceReference {
  /** Namespace. */
  namespace?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Path. */
  path?: string | undefined;
  /** Port. */
  port?: number | undefined;
}

/** Validating webhook. */
export interface ValidatingWebhook {
  /** Name. */
  name?: string | undefined;
  /** Client config. */
  clientConfig?: WebhookClientConfig | undefined;
  /** Rules. */
  rules?: RuleWithOperations[] | undefined;
  /** Failure policy. */
  failurePolicy?: string | undefined;
  /** Namespace selector. */
  namespaceSelector?: LabelSelector | undefined;
  /** Side effects. */
  sideEffects?: string | undefined;
  /** Timeout seconds. */
  timeoutSeconds?: number | undefined;
  /** Admission review versions. */
  admissionReviewVersions?: string[] | null | undefined;
  /** Match policy. */
  matchPolicy?: string | undefined;
  /** Object selector. */
  objectSelector?: LabelSelector | undefined;
}

/** Validating webhook configuration. */
export interface ValidatingWebhookConfiguration {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Webhooks. */
  webhooks?: ValidatingWebhook[] | undefined;
}

/** Validating webhook configuration list. */
export interface ValidatingWebhookConfigurationList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ValidatingWebhookConfiguration[] | null | undefined;
}

/** Webhook client config. */
export interface WebhookClientConfig {
  /** Service. */
  service?: ServiceReference | undefined;
  /** Ca bundle. */
  caBundle?: string | undefined;
  /** Url. */
  url?: string | undefined;
}
