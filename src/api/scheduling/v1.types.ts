/** Types of scheduling/v1; generated from v1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A name for a priority of pods. */
export interface PriorityClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The value. */
  value?: number | undefined;
  /** Used for pods that name no class. */
  globalDefault?: boolean | undefined;
  /** Text for people. */
  description?: string | undefined;
  /** Whether pods of lower priority may be evicted to make room. */
  preemptionPolicy?: string | undefined;
}

/** A list of PriorityClass objects. */
export interface PriorityClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PriorityClass[] | null | undefined;
}
