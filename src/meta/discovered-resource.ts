/** A resource as another server says that it serves it (APIResource of an APIResourceList). */

/** A resource, or with a slash in its name a subresource. */
export interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** '' for that of the list. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}
