/** Types of resource/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { NodeSelector } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** What a claim was given. */
export interface AllocationResult {
  /** Data for the agent of the driver on the node. */
  resourceHandle?: string | undefined;
  /** Nodes that can use it; absent: all. */
  availableOnNodes?: NodeSelector | undefined;
  /** Several may use it at once. */
  shareable?: boolean | undefined;
}

/** Where resources for a pod are needed, and where they can be had. */
export interface PodScheduling {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PodSchedulingSpec | undefined;
  /** What is observed. */
  status?: PodSchedulingStatus | undefined;
}

/** A list. */
export interface PodSchedulingList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PodScheduling[] | null | undefined;
}

/** Where resources for a pod are needed. */
export interface PodSchedulingSpec {
  /** The node for which claims are to be allocated. */
  selectedNode?: string | undefined;
  /** Nodes that the pod might run on. */
  potentialNodes?: string[] | undefined;
}

/** Where resources for a pod can be had. */
export interface PodSchedulingStatus {
  /** What drivers say, by the name of the claim in the pod. */
  resourceClaims?: ResourceClaimSchedulingStatus[] | undefined;
}

/** A claim of resources. */
export interface ResourceClaim {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ResourceClaimSpec | undefined;
  /** What is observed. */
  status?: ResourceClaimStatus | undefined;
}

/** A list. */
export interface ResourceClaimList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceClaim[] | null | undefined;
}

/** Who uses a claim. */
export interface ResourceClaimConsumerReference {
  /** Group of the user; empty: the core group. */
  apiGroup?: string | undefined;
  /** Resource of the user, such as pods. */
  resource?: string | undefined;
  /** Name of the user. */
  name?: string | undefined;
  /** UID of the user. */
  uid?: string | undefined;
}

/** Names the parameters of a claim, an object of its namespace. */
export interface ResourceClaimParametersReference {
  /** Group of the object; empty: the core group. */
  apiGroup?: string | undefined;
  /** Kind of the object. */
  kind?: string | undefined;
  /** Name of the object. */
  name?: string | undefined;
}

/** Where a claim cannot be allocated. */
export interface ResourceClaimSchedulingStatus {
  /** Name of the claim in the pod. */
  name?: string | undefined;
  /** Nodes for which it cannot be. */
  unsuitableNodes?: string[] | undefined;
}

/** What is claimed. */
export interface ResourceClaimSpec {
  /** Class of the resource. */
  resourceClassName?: string | undefined;
  /** Parameters for the driver. */
  parametersRef?: ResourceClaimParametersReference | undefined;
  /** Immediate or WaitForFirstConsumer. */
  allocationMode?: string | undefined;
}

/** What a claim was given, and who uses it. */
export interface ResourceClaimStatus {
  /** Driver of the class when the allocation began. */
  driverName?: string | undefined;
  /** What was allocated; absent: nothing yet. */
  allocation?: AllocationResult | undefined;
  /** Who may use the claim now. */
  reservedFor?: ResourceClaimConsumerReference[] | undefined;
  /** The driver is to take back what it allocated. */
  deallocationRequested?: boolean | undefined;
}

/** A claim that is made for each pod. */
export interface ResourceClaimTemplate {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ResourceClaimTemplateSpec | undefined;
}

/** A list. */
export interface ResourceClaimTemplateList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceClaimTemplate[] | null | undefined;
}

/** The claim that is made. */
export interface ResourceClaimTemplateSpec {
  /** Labels and annotations of the claims. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ResourceClaimSpec | undefined;
}

/** A kind of resources, and the driver that allocates them. */
export interface ResourceClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** Name of the driver. */
  driverName?: string | undefined;
  /** Parameters for the driver. */
  parametersRef?: ResourceClassParametersReference | undefined;
  /** Nodes that can use them; absent: all. */
  suitableNodes?: NodeSelector | undefined;
}

/** A list. */
export interface ResourceClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceClass[] | null | undefined;
}

/** Names the parameters of a class. */
export interface ResourceClassParametersReference {
  /** Group of the object; empty: the core group. */
  apiGroup?: string | undefined;
  /** Kind of the object. */
  kind?: string | undefined;
  /** Name of the object. */
  name?: string | undefined;
  /** Namespace of the object; empty: it has none. */
  namespace?: string | undefined;
}
