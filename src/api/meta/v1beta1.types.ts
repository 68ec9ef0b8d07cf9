/** Types of meta/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ListMeta, PartialObjectMetadata } from './v1.types.ts';

/** A list of objects' metadata. */
export interface PartialObjectMetadataList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** The objects. */
  items?: PartialObjectMetadata[] | null | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
}
