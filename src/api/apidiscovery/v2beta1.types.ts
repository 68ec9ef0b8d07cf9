/** Types of apidiscovery/v2beta1; generated from v2beta1.proto by `npm run generate`. */
import type { GroupVersionKind, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** What is served of one API group. */
export interface APIGroupDiscovery {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Its name is that of the group; the core group has none. */
  metadata?: ObjectMeta | undefined;
  /** Versions of the group, the preferred one first. */
  versions?: APIVersionDiscovery[] | undefined;
}

/** What is served of all API groups. */
export interface APIGroupDiscoveryList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The groups, the preferred one first. */
  items?: APIGroupDiscovery[] | null | undefined;
}

/** A resource that is served. */
export interface APIResourceDiscovery {
  /** Plural name, as in paths. */
  resource?: string | undefined;
  /** Kind of its objects. */
  responseKind?: GroupVersionKind | undefined;
  /** Cluster or Namespaced. */
  scope?: string | undefined;
  /** Name of one object, for people. */
  singularResource?: string | undefined;
  /** What may be done. */
  verbs?: string[] | null | undefined;
  /** Short names for people. */
  shortNames?: string[] | undefined;
  /** Groups of resources that it is listed with. */
  categories?: string[] | undefined;
  /** What hangs below its objects. */
  subresources?: APISubresourceDiscovery[] | undefined;
}

/** A path below objects of a resource. */
export interface APISubresourceDiscovery {
  /** Name, as in paths. */
  subresource?: string | undefined;
  /** Kind of what is answered. */
  responseKind?: GroupVersionKind | undefined;
  /** Kinds that are taken, where there are several. */
  acceptedTypes?: GroupVersionKind[] | undefined;
  /** What may be done. */
  verbs?: string[] | null | undefined;
}

/** A version of a group. */
export interface APIVersionDiscovery {
  /** Name of the version. */
  version?: string | undefined;
  /** Its resources. */
  resources?: APIResourceDiscovery[] | undefined;
  /** Current, or Stale where a server of the group did not answer lately. */
  freshness?: string | undefined;
}
