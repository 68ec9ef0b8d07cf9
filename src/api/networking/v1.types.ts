/** Types of networking/v1; generated from v1.proto by `npm run generate`. */
import type { LoadBalancerStatus, TypedLocalObjectReference } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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

/** IP block. */
export interface IPBlock {
  /** Cidr. */
  cidr?: string | undefined;
  /** Except. */
  except?: string[] | undefined;
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
  /** Resource. */
  resource?: TypedLocalObjectReference | undefined;
  /** Service. */
  service?: IngressServiceBackend | undefined;
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

/** Ingress service backend. */
export interface IngressServiceBackend {
  /** Name. */
  name?: string | undefined;
  /** Port. */
  port?: ServiceBackendPort | undefined;
}

/** Ingress spec. */
export interface IngressSpec {
  /** Default backend. */
  defaultBackend?: IngressBackend | undefined;
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

/** Network policy. */
export interface NetworkPolicy {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: NetworkPolicySpec | undefined;
}

/** Network policy egress rule. */
export interface NetworkPolicyEgressRule {
  /** Ports. */
  ports?: NetworkPolicyPort[] | undefined;
  /** To. */
  to?: NetworkPolicyPeer[] | undefined;
}

/** Network policy ingress rule. */
export interface NetworkPolicyIngressRule {
  /** Ports. */
  ports?: NetworkPolicyPort[] | undefined;
  /** From. */
  from?: NetworkPolicyPeer[] | undefined;
}

/** Network policy list. */
export interface NetworkPolicyList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: NetworkPolicy[] | null | undefined;
}

/** Network policy peer. */
export interface NetworkPolicyPeer {
  /** Pod selector. */
  podSelector?: LabelSelector | undefined;
  /** Namespace selector. */
  namespaceSelector?: LabelSelector | undefined;
  /** Ip block. */
  ipBlock?: IPBlock | undefined;
}

/** Network policy port. */
export interface NetworkPolicyPort {
  /** Protocol. */
  protocol?: string | undefined;
  /** Port. */
  port?: number | string | undefined;
  /** End port. */
  endPort?: number | undefined;
}

/** Network policy spec. */
export interface NetworkPolicySpec {
  /** Pod selector. */
  podSelector?: LabelSelector | undefined;
  /** Ingress. */
  ingress?: NetworkPolicyIngressRule[] | undefined;
  /** Egress. */
  egress?: NetworkPolicyEgressRule[] | undefined;
  /** Policy types. */
  policyTypes?: string[] | undefined;
}

/** Service backend port. */
export interface ServiceBackendPort {
  /** Name. */
  name?: string | undefined;
  /** Number. */
  number?: number | undefined;
}
