/**
 * What a controller writes of a large object is done beside the thread that serves, as what clients write: to decode,
 * compare and encode one of a megabyte takes 100 ms and more.
 */
import type { JsonObject } from '../base/json.ts';
import type { DeleteElsewhere, DeleteOptions, RequestScope } from './types.ts';
import type { Entry } from '../storage/types.ts';

/** A write of one object. */
export type ObjectWrite =
  | { readonly operation: 'replace'; readonly object: JsonObject }
  /** A merge patch. */
  | { readonly operation: 'patch'; readonly object: JsonObject }
  | { readonly operation: 'delete'; readonly deletion: DeleteOptions };

export interface WritesElsewhere {
  /**
   * The entry as it was written; undefined for a small object, which is written here.
   * @throws StatusError of the write; 429 where too many wait, 413 if it takes more memory or time than a write may
   */
  write(scope: RequestScope, name: string, write: ObjectWrite): Promise<Entry> | undefined;
  /** A write of a small object that would hold the thread for long. @throws as `write` */
  grown(scope: RequestScope, name: string, write: ObjectWrite): Promise<Entry>;
  /** Deletes the large objects of a collection. */
  deletions(deletion: DeleteOptions): DeleteElsewhere | undefined;
}
