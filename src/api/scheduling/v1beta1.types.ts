/** Types of scheduling/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Priority class. */
export interface PriorityClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Value. */
  value?: number | undefined;
  /** Global default. */
  globalDefault?: boolean | undefined;
  /** Description. */
  description?: string | undefined;
  /** Preemption policy. */
  preemptionPolicy?: string | undefined;
}

/** Priority class list. */
export interface PriorityClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: PriorityClass[] | null | undefined;
}
