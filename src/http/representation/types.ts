/** The encoding of responses: one cached `Representation` per resource and negotiated form. */
import type { Status } from '../../meta/status.ts';
import type { ListResult, WatchItem } from '../../registry/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';

/** A body that is encoded while it is sent. Each slice takes at most a few milliseconds. */
export interface SlicedBody {
  /** Total bytes; undefined if unknown before encoding. */
  readonly length: number | undefined;
  readonly slices: Iterable<Buffer>;
  /** Returns the memory of a sent slice. */
  readonly release?: (slice: Buffer) => void;
}

export interface Representation {
  /** Content-Type of objects and lists. */
  readonly contentType: string;
  /** Content-Type of a watch stream. */
  readonly watchType: string;
  object(entry: Entry): Buffer;
  list(result: ListResult): SlicedBody;
  /** The frame of an event; watches share the buffer while it is cached. */
  frame(item: WatchItem): Buffer;
  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer;
  /** The ERROR frame of a failed watch. */
  error(status: Status): Buffer;
  /** The representation after the first frame of a watch, if it differs: tables name columns once. */
  readonly next?: Representation | undefined;
}
