/** Objects of the API as tests name and hold them. */

export interface ObjectMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly [field: string]: unknown;
}

/** Any object. Types of other packages, such as `V1Pod` of `@kubernetes/client-node`, may be given in its place. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
  readonly [field: string]: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- what a kind has is the caller's to know
}

/** What names a kind. */
export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What names an object; the namespace of namespaced ones defaults to `default`. */
export interface ObjectReference extends KindReference {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Something that looks like an object: with as many fields as its caller knows. */
export interface ObjectLike {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?:
    { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined;
}

export interface ObjectList<T> {
  readonly items: readonly T[];
  readonly metadata: { readonly resourceVersion: string };
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}
