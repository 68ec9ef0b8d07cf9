/** Types of networking/v1; generated from v1.proto by `npm run generate`. */
import type { TypedLocalObjectReference } from '../core/v1.types.ts';
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A path and where it leads. */
export interface HTTPIngressPath {
  /** Path to use. */
  path?: string | undefined;
  /** Where to send requests. */
  backend?: IngressBackend | undefined;
  /** How the path is compared: Exact, Prefix or as the controller likes. */
  pathType?: string | undefined;
}

/** Paths and where each leads. */
export interface HTTPIngressRuleValue {
  /** Paths and where each leads. */
  paths?: HTTPIngressPath[] | null | undefined;
}

/** A network, with exceptions. */
export interface IPBlock {
  /** A network, such as 10.0.0.0/8. */
  cidr?: string | undefined;
  /** Networks inside it that are left out. */
  except?: string[] | undefined;
}

/** Leads HTTP requests to services. */
export interface Ingress {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: IngressSpec | undefined;
  /** What was last observed; written by the system. */
  status?: IngressStatus | undefined;
}

/** Where requests go. */
export interface IngressBackend {
  /** Resource meant, in its plural lower-case name. */
  resource?: TypedLocalObjectReference | undefined;
  /** Service to call. */
  service?: IngressServiceBackend | undefined;
}

/** Names a controller for ingresses. */
export interface IngressClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: IngressClassSpec | undefined;
}

/** A list of IngressClass objects. */
export interface IngressClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: IngressClass[] | null | undefined;
}

/** Names settings for a controller. */
export interface IngressClassParametersReference {
  /** API group of the object meant; empty is core. */
  apiGroup?: string | undefined;
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
  /** Whether it is meant for the whole cluster or for namespaces. */
  scope?: string | undefined;
  /** Namespace of the object meant. */
  namespace?: string | undefined;
}

/** What is wanted of an IngressClass. */
export interface IngressClassSpec {
  /** Name of the controller, or whether the owner controls. */
  controller?: string | undefined;
  /** Settings for the driver or controller. */
  parameters?: IngressClassParametersReference | undefined;
}

/** A list of Ingress objects. */
export interface IngressList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Ingress[] | null | undefined;
}

/** Where a load balancer takes traffic of an ingress. */
export interface IngressLoadBalancerIngress {
  /** Address of the load balancer. */
  ip?: string | undefined;
  /** Host name of the load balancer. */
  hostname?: string | undefined;
  /** Ports of the load balancer. */
  ports?: IngressPortStatus[] | undefined;
}

/** The load balancer of an ingress. */
export interface IngressLoadBalancerStatus {
  /** Where it takes traffic. */
  ingress?: IngressLoadBalancerIngress[] | undefined;
}

/** A port of a load balancer. */
export interface IngressPortStatus {
  /** Number of the port. */
  port?: number | undefined;
  /** TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** What went wrong with the port. */
  error?: string | undefined;
}

/** What happens to requests for one host. */
export interface IngressRule {
  /** Host name or address. */
  host?: string | undefined;
  /** HTTP rules. */
  http?: HTTPIngressRuleValue | undefined;
}

/** The rule itself. */
export interface IngressRuleValue {
  /** HTTP rules. */
  http?: HTTPIngressRuleValue | undefined;
}

/** A service that requests go to. */
export interface IngressServiceBackend {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Port number. */
  port?: ServiceBackendPort | undefined;
}

/** What is wanted of an Ingress. */
export interface IngressSpec {
  /** Where requests go that no rule matches. */
  defaultBackend?: IngressBackend | undefined;
  /** Certificates for hosts. */
  tls?: IngressTLS[] | undefined;
  /** Rules, each of which may match. */
  rules?: IngressRule[] | undefined;
  /** Name of the IngressClass that serves this. */
  ingressClassName?: string | undefined;
}

/** What was last observed of an Ingress. */
export interface IngressStatus {
  /** State of the load balancer. */
  loadBalancer?: IngressLoadBalancerStatus | undefined;
}

/** A certificate and the hosts that it is for. */
export interface IngressTLS {
  /** Host names. */
  hosts?: string[] | undefined;
  /** Name of a Secret in the same namespace. */
  secretName?: string | undefined;
}

/** An address that an object of the cluster holds. */
export interface IPAddress {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: IPAddressSpec | undefined;
}

/** A list. */
export interface IPAddressList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: IPAddress[] | null | undefined;
}

/** Who holds an address. */
export interface IPAddressSpec {
  /** The object that holds the address. */
  parentRef?: ParentReference | undefined;
}

/** Which traffic pods accept and send. */
export interface NetworkPolicy {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: NetworkPolicySpec | undefined;
  /** What its implementation says of it. */
  status?: NetworkPolicyStatus | undefined;
}

/** Traffic that may go out. */
export interface NetworkPolicyEgressRule {
  /** Ports offered. */
  ports?: NetworkPolicyPort[] | undefined;
  /** Who may receive; empty means all. */
  to?: NetworkPolicyPeer[] | undefined;
}

/** Traffic that may come in. */
export interface NetworkPolicyIngressRule {
  /** Ports offered. */
  ports?: NetworkPolicyPort[] | undefined;
  /** Who may send; empty means all. */
  from?: NetworkPolicyPeer[] | undefined;
}

/** A list of NetworkPolicy objects. */
export interface NetworkPolicyList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: NetworkPolicy[] | null | undefined;
}

/** Who is on the other side. */
export interface NetworkPolicyPeer {
  /** Labels of the pods meant. */
  podSelector?: LabelSelector | undefined;
  /** Labels of the namespaces meant. */
  namespaceSelector?: LabelSelector | undefined;
  /** A network. */
  ipBlock?: IPBlock | undefined;
}

/** A port, or a range of them. */
export interface NetworkPolicyPort {
  /** Protocol: TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** Port number. */
  port?: number | string | undefined;
  /** Last port of a range that begins with port. */
  endPort?: number | undefined;
}

/** What is wanted of a NetworkPolicy. */
export interface NetworkPolicySpec {
  /** Labels of the pods meant. */
  podSelector?: LabelSelector | undefined;
  /** Entry points, or rules of traffic coming in. */
  ingress?: NetworkPolicyIngressRule[] | undefined;
  /** Rules of traffic going out. */
  egress?: NetworkPolicyEgressRule[] | undefined;
  /** Which directions the policy rules: Ingress, Egress. */
  policyTypes?: string[] | undefined;
}

/** What an implementation says of a policy. */
export interface NetworkPolicyStatus {
  /** Whether the policy is accepted, in part or as a whole. */
  conditions?: Condition[] | undefined;
}

/** Names the object that something belongs to. */
export interface ParentReference {
  /** Group of the object; empty: the core group. */
  group?: string | undefined;
  /** Resource of the object, such as services. */
  resource?: string | undefined;
  /** Namespace of the object. */
  namespace?: string | undefined;
  /** Name of the object. */
  name?: string | undefined;
}

/** A port of a service, by number or name. */
export interface ServiceBackendPort {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Port by number. */
  number?: number | undefined;
}

/** Ranges that service addresses come from. */
export interface ServiceCIDR {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ServiceCIDRSpec | undefined;
  /** What is observed. */
  status?: ServiceCIDRStatus | undefined;
}

/** A list. */
export interface ServiceCIDRList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ServiceCIDR[] | null | undefined;
}

/** The ranges. */
export interface ServiceCIDRSpec {
  /** One range, or one of each family. */
  cidrs?: string[] | undefined;
}

/** What is known of the ranges. */
export interface ServiceCIDRStatus {
  /** Whether the ranges are ready, by type. */
  conditions?: Condition[] | undefined;
}
