/** Types of networking/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { NodeSelector } from '../core/v1.types.ts';
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A range that blocks of addresses of nodes' pods come from. */
export interface ClusterCIDR {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ClusterCIDRSpec | undefined;
}

/** A list. */
export interface ClusterCIDRList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ClusterCIDR[] | null | undefined;
}

/** The range, and the nodes that it is for. */
export interface ClusterCIDRSpec {
  /** The nodes; absent: all. */
  nodeSelector?: NodeSelector | undefined;
  /** How many bits of an address are the node's own. */
  perNodeHostBits?: number | undefined;
  /** The IPv4 range. */
  ipv4?: string | undefined;
  /** The IPv6 range. */
  ipv6?: string | undefined;
}

/** An address of the cluster, and who holds it. */
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
  /** UID of the object. */
  uid?: string | undefined;
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
