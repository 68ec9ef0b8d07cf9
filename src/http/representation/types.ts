/** The encoding of responses: one cached `Representation` per resource and negotiated form. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Status } from '../../meta/status.ts';
import type { ListResult, WatchItem } from '../../registry/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';

/** A form as plain data, by which another thread makes the same. */
export interface FormSpec {
  /** Name of the serializer, `protobuf` or `cbor`. */
  readonly serializer: string;
  /** '' for the whole object, `Table` or one of the kinds of metadata. */
  readonly as: string;
  /** Version of what `as` names. */
  readonly version: string;
  /** `includeObject` of tables, as sent. */
  readonly includeObject: string;
}

/** The frame of an event, in a watch or behind its first frame. */
export type FramePart = `${'first' | 'next'} ${WatchItem['type']}`;

/** What is made of an entry: a whole answer, an item of a list, a frame, or the part of all that is cached. */
export type FormPart = 'object' | 'item' | 'firstItem' | 'kept' | FramePart;

/** What a form caches of each entry: an answer is written from it quickly. */
export interface KeptPart {
  has(entry: Entry): boolean;
  /** Makes it as bytes, without caching it. */
  make(entry: Entry): Buffer;
}

/** Makes a part of a form outside of this thread; undefined if the entry is small enough to be made at once. */
export type MakeElsewhere = (entry: Entry, part: FormPart) => Promise<Buffer> | undefined;

/** A body that is encoded while it is sent. Each slice takes at most a few milliseconds, or comes from another thread. */
export interface SlicedBody {
  /** Total bytes; undefined if unknown before encoding. */
  readonly length: number | undefined;
  readonly slices: Iterable<MaybePromise<Buffer>>;
  /** Returns the memory of a sent slice. */
  readonly release?: (slice: Buffer) => void;
}

export interface Representation {
  /** Content-Type of objects and lists. */
  readonly contentType: string;
  /** Content-Type of a watch stream. */
  readonly watchType: string;
  /** Absent where stored bytes are copied, which is quick whatever their size. */
  readonly spec?: FormSpec | undefined;
  /** Absent where nothing is cached, or where it does not make an answer quick. */
  readonly kept?: KeptPart | undefined;
  /** The entry that another thread makes parts of, where that is not the given one. */
  source?(entry: Entry): Entry;
  /** @param made what `kept` makes, from another thread; it is then cached */
  object(entry: Entry, made?: Buffer): Buffer;
  /** An item of a list without what separates items; where `spec` is and `kept` is not. */
  item?(entry: Entry, isFirst: boolean): Buffer;
  /** @param elsewhere makes the items of large entries */
  list(result: ListResult, elsewhere?: MakeElsewhere): SlicedBody;
  /**
   * The frame of an event; watches share the buffer while it is cached.
   * @param made from another thread: what `kept` makes; where that is absent, the frame itself
   */
  frame(item: WatchItem, made?: Buffer): Buffer;
  /** Whether its frame is cached; absent where `spec` is. */
  hasFrame?(item: WatchItem): boolean;
  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer;
  /** The ERROR frame of a failed watch. */
  error(status: Status): Buffer;
  /** The representation after the first frame of a watch, if it differs: tables name columns once. */
  readonly next?: Representation | undefined;
}
