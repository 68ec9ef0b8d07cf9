/** How objects leave the server: one `Representation` per resource and negotiated form, made once and kept. */
import type { Status } from '../../meta/status.ts';
import type { ListResult, WatchItem } from '../../registry/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';

/** A body that is made while it is sent. Each slice takes a few milliseconds to make at most. */
export interface SlicedBody {
  /** Bytes of the whole; undefined when only making it would tell. */
  readonly length: number | undefined;
  readonly slices: Iterable<Buffer>;
  /** Takes back the memory of a slice that has left. */
  readonly release?: (slice: Buffer) => void;
}

export interface Representation {
  /** Content-Type of objects and lists. */
  readonly contentType: string;
  /** Content-Type of a watch stream. */
  readonly watchType: string;
  object(entry: Entry): Buffer;
  list(result: ListResult): SlicedBody;
  /** The frame of one event; the same buffer for every watch, while it is remembered. */
  frame(item: WatchItem): Buffer;
  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer;
  /** The last frame of a watch that failed. */
  error(status: Status): Buffer;
  /** Tells what follows the first frame of a watch, where that is told in another way: tables name columns once. */
  readonly next?: Representation | undefined;
}
