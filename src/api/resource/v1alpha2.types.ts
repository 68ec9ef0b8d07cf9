/** Types of resource/v1alpha2; generated from v1alpha2.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { NodeSelector } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** What a claim was given. */
export interface AllocationResult {
  /** Data for the agents of the drivers on the node. */
  resourceHandles?: ResourceHandle[] | undefined;
  /** Nodes that can use it; absent: all. */
  availableOnNodes?: NodeSelector | undefined;
  /** Several may use it at once. */
  shareable?: boolean | undefined;
}

/** What was allocated; one model is used. */
export interface AllocationResultModel {
  /** Of resources with names. */
  namedResources?: NamedResourcesAllocationResult | undefined;
}

/** What was allocated for one request. */
export interface DriverAllocationResult {
  /** Parameters of the request. */
  vendorRequestParameters?: JsonValue | undefined;
  /** Of resources with names. */
  namedResources?: NamedResourcesAllocationResult | undefined;
}

/** What is wanted of one driver. */
export interface DriverRequests {
  /** Name of the driver. */
  driverName?: string | undefined;
  /** Parameters of all requests. */
  vendorParameters?: JsonValue | undefined;
  /** The requests. */
  requests?: ResourceRequest[] | undefined;
}

/** The resource that was allocated. */
export interface NamedResourcesAllocationResult {
  /** Its name. */
  name?: string | undefined;
}

/** A fact about a resource. */
export interface NamedResourcesAttribute {
  /** Name of the fact, unique in the resource. */
  name?: string | undefined;
  /** An amount. */
  quantity?: string | undefined;
  /** A truth value. */
  bool?: boolean | undefined;
  /** A number. */
  int?: number | undefined;
  /** Numbers. */
  intSlice?: NamedResourcesIntSlice | undefined;
  /** A text. */
  string?: string | undefined;
  /** Texts. */
  stringSlice?: NamedResourcesStringSlice | undefined;
  /** A semantic version. */
  version?: string | undefined;
}

/** What a fact is; one of the fields is set. */
export interface NamedResourcesAttributeValue {
  /** An amount. */
  quantity?: string | undefined;
  /** A truth value. */
  bool?: boolean | undefined;
  /** A number. */
  int?: number | undefined;
  /** Numbers. */
  intSlice?: NamedResourcesIntSlice | undefined;
  /** A text. */
  string?: string | undefined;
  /** Texts. */
  stringSlice?: NamedResourcesStringSlice | undefined;
  /** A semantic version. */
  version?: string | undefined;
}

/** Which resources of a class may be used. */
export interface NamedResourcesFilter {
  /** CEL expression over attributes that must be true. */
  selector?: string | undefined;
}

/** A resource with a name. */
export interface NamedResourcesInstance {
  /** Name, unique among those of the driver on the node. */
  name?: string | undefined;
  /** Facts about it. */
  attributes?: NamedResourcesAttribute[] | undefined;
}

/** Numbers. */
export interface NamedResourcesIntSlice {
  /** The numbers. */
  ints?: number[] | null | undefined;
}

/** Which resource is wanted. */
export interface NamedResourcesRequest {
  /** CEL expression over attributes that must be true. */
  selector?: string | undefined;
}

/** Resources with names. */
export interface NamedResourcesResources {
  /** All that there are now. */
  instances?: NamedResourcesInstance[] | null | undefined;
}

/** Texts. */
export interface NamedResourcesStringSlice {
  /** The texts. */
  strings?: string[] | null | undefined;
}

/** Where resources for a pod are needed, and where they can be had. */
export interface PodSchedulingContext {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PodSchedulingContextSpec | undefined;
  /** What is observed. */
  status?: PodSchedulingContextStatus | undefined;
}

/** A list. */
export interface PodSchedulingContextList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PodSchedulingContext[] | null | undefined;
}

/** Where resources for a pod are needed. */
export interface PodSchedulingContextSpec {
  /** The node for which claims are to be allocated. */
  selectedNode?: string | undefined;
  /** Nodes that the pod might run on. */
  potentialNodes?: string[] | undefined;
}

/** Where resources for a pod can be had. */
export interface PodSchedulingContextStatus {
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

/** What a claim wants, in a form that the scheduler reads. */
export interface ResourceClaimParameters {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** The object that these are made of. */
  generatedFrom?: ResourceClaimParametersReference | undefined;
  /** Several may use the claim at once. */
  shareable?: boolean | undefined;
  /** What is wanted of each driver. */
  driverRequests?: DriverRequests[] | undefined;
}

/** A list. */
export interface ResourceClaimParametersList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceClaimParameters[] | null | undefined;
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
  /** The scheduler allocates them by parameters that it reads. */
  structuredParameters?: boolean | undefined;
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

/** What a class allows, in a form that the scheduler reads. */
export interface ResourceClassParameters {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** The object that these are made of. */
  generatedFrom?: ResourceClassParametersReference | undefined;
  /** Parameters of all claims of the class, by driver. */
  vendorParameters?: VendorParameters[] | undefined;
  /** What must hold of resources of a driver. */
  filters?: ResourceFilter[] | undefined;
}

/** A list. */
export interface ResourceClassParametersList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceClassParameters[] | null | undefined;
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

/** What must hold of resources of a driver. */
export interface ResourceFilter {
  /** Name of the driver. */
  driverName?: string | undefined;
  /** Of resources with names. */
  namedResources?: NamedResourcesFilter | undefined;
}

/** What must hold of resources; one model is used. */
export interface ResourceFilterModel {
  /** Of resources with names. */
  namedResources?: NamedResourcesFilter | undefined;
}

/** Data for the agent of a driver on the node. */
export interface ResourceHandle {
  /** Name of the driver. */
  driverName?: string | undefined;
  /** Anything that the driver understands. */
  data?: string | undefined;
  /** What the scheduler has allocated. */
  structuredData?: StructuredResourceHandle | undefined;
}

/** What there is; one model is used. */
export interface ResourceModel {
  /** Resources with names. */
  namedResources?: NamedResourcesResources | undefined;
}

/** One resource that is wanted. */
export interface ResourceRequest {
  /** Parameters of the request. */
  vendorParameters?: JsonValue | undefined;
  /** One with a name. */
  namedResources?: NamedResourcesRequest | undefined;
}

/** Which resource is wanted; one model is used. */
export interface ResourceRequestModel {
  /** One with a name. */
  namedResources?: NamedResourcesRequest | undefined;
}

/** Resources of a driver on a node. */
export interface ResourceSlice {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** The node that has them. */
  nodeName?: string | undefined;
  /** Name of the driver. */
  driverName?: string | undefined;
  /** Resources with names. */
  namedResources?: NamedResourcesResources | undefined;
}

/** A list. */
export interface ResourceSliceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceSlice[] | null | undefined;
}

/** What the scheduler has allocated of one driver. */
export interface StructuredResourceHandle {
  /** Parameters of the class. */
  vendorClassParameters?: JsonValue | undefined;
  /** Parameters of the claim. */
  vendorClaimParameters?: JsonValue | undefined;
  /** The node that has the resources. */
  nodeName?: string | undefined;
  /** A resource for each request. */
  results?: DriverAllocationResult[] | null | undefined;
}

/** Parameters of all claims of a class for one driver. */
export interface VendorParameters {
  /** Name of the driver. */
  driverName?: string | undefined;
  /** The parameters. */
  parameters?: JsonValue | undefined;
}
