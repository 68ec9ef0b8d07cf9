/** Types of node/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { Toleration } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Overhead. */
export interface Overhead {
  /** Pod fixed. */
  podFixed?: Record<string, string> | undefined;
}

/** Runtime class. */
export interface RuntimeClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: RuntimeClassSpec | undefined;
}

/** Runtime class list. */
export interface RuntimeClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: RuntimeClass[] | null | undefined;
}

/** Runtime class spec. */
export interface RuntimeClassSpec {
  /** Runtime handler. */
  runtimeHandler?: string | undefined;
  /** Overhead. */
  overhead?: Overhead | undefined;
  /** Scheduling. */
  scheduling?: Scheduling | undefined;
}

/** Scheduling. */
export interface Scheduling {
  /** Node selector. */
  nodeSelector?: Record<string, string> | undefined;
  /** Tolerations. */
  tolerations?: Toleration[] | undefined;
}
