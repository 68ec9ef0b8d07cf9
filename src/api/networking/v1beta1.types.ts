/** Types of networking/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { LoadBalancerStatus, TypedLocalObjectReference } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** HTTP ingress path. */
export interface HTTPIngressPath {
  /** Path. */
  path?: string | undefined;
  /** Backend. */
  backend?: IngressBackend | undefined;
  /** Path type. */
  pathType?: string | undefined;
}

/** HTTP ingress rule value. */
export interface HTTPIngressRuleValue {
  /** Paths. */
  paths?: HTTPIngressPath[] | null | undefined;
}

/** Ingress. */
export interface Ingress {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: IngressSpec | undefined;
  /** Status. */
  status?: IngressStatus | undefined;
}

/** Ingress backend. */
export interface IngressBackend {
  /** Service name. */
  serviceName?: string | undefined;
  /** Service port. */
  servicePort?: number | string | undefined;
  /** Resource. */
  resource?: TypedLocalObjectReference | undefined;
}

/** Ingress class. */
export interface IngressClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: IngressClassSpec | undefined;
}

/** Ingress class list. */
export interface IngressClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: IngressClass[] | null | undefined;
}

/** Ingress class parameters reference. */
export interface IngressClassParametersReference {
  /** Api group. */
  apiGroup?: string | undefined;
  /** Kind. */
  kind?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Scope. */
  scope?: string | undefined;
  /** Namespace. */
  namespace?: string | undefined;
}

/** Ingress class spec. */
export interface IngressClassSpec {
  /** Controller. */
  controller?: string | undefined;
  /** Parameters. */
  parameters?: IngressClassParametersReference | undefined;
}

/** Ingress list. */
export interface IngressList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Ingress[] | null | undefined;
}

/** Ingress rule. */
export interface IngressRule {
  /** Host. */
  host?: string | undefined;
  /** Http. */
  http?: HTTPIngressRuleValue | undefined;
}

/** Ingress rule value. */
export interface IngressRuleValue {
  /** Http. */
  http?: HTTPIngressRuleValue | undefined;
}

/** Ingress spec. */
export interface IngressSpec {
  /** Backend. */
  backend?: IngressBackend | undefined;
  /** Tls. */
  tls?: IngressTLS[] | undefined;
  /** Rules. */
  rules?: IngressRule[] | undefined;
  /** Ingress class name. */
  ingressClassName?: string | undefined;
}

/** Ingress status. */
export interface IngressStatus {
  /** Load balancer. */
  loadBalancer?: LoadBalancerStatus | undefined;
}

/** Ingress TLS. */
export interface IngressTLS {
  /** Hosts. */
  hosts?: string[] | undefined;
  /** Secret name. */
  secretName?: string | undefined;
}
