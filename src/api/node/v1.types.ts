/** Types of node/v1; generated from v1.proto by `npm run generate`. */
import type { Toleration } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Resources that the sandbox itself takes. */
export interface Overhead {
  /** Fixed amount per pod. */
  podFixed?: Record<string, string> | undefined;
}

/** A name for a way to run containers. */
export interface RuntimeClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Name of the runtime's configuration. */
  handler?: string | undefined;
  /** Resources that the sandbox itself takes. */
  overhead?: Overhead | undefined;
  /** Where pods of this class may run. */
  scheduling?: Scheduling | undefined;
}

/** A list of RuntimeClass objects. */
export interface RuntimeClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: RuntimeClass[] | null | undefined;
}

/** Where pods of a RuntimeClass may run. */
export interface Scheduling {
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string> | undefined;
  /** Taints that are tolerated. */
  tolerations?: Toleration[] | undefined;
}
