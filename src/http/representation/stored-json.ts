/** JSON in the storage version, the hot path: stored bytes are copied and the resource version is inserted. */
import { Slab } from '../../base/slab.ts';
import { listLength, listSlices } from '../../codec/list-page.ts';
import { withResourceVersion } from '../../codec/stored.ts';
import { bookmarkFrame, errorFrame, watchFrame, writesZeroTime } from '../../codec/watch-frame.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { Status } from '../../meta/status.ts';
import type { ListResult, ServedResource, WatchItem } from '../../registry/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import type { NumberSeries } from '../../observe/metric-series.ts';
import { itemHeadFor } from './json-items.ts';
import { emptyListText, listHeadOf } from './list-head.ts';
import type { WatchFrameCache } from './watch-frame-cache.ts';
import { giveBack, slicePool } from './slice-writer.ts';
import type { Representation, SlicedBody } from './types.ts';

const takeSlice = slicePool.take.bind(slicePool);

/** Buffer for single objects, which are not cached. */
const outgoing = new Slab(256 * 1024);
const takeOutgoing = outgoing.take.bind(outgoing);

/** Frames of the storage version do not depend on the served resource, so their keys are shared. */
const frameKeys = {
  ADDED: Symbol('ADDED'),
  MODIFIED: Symbol('MODIFIED'),
  DELETED: Symbol('DELETED'),
} as const;

export interface StoredJsonParts {
  readonly frames: WatchFrameCache;
  readonly framesMade: NumberSeries;
}

export class StoredJson implements Representation {
  readonly contentType = 'application/json';
  readonly watchType = 'application/json';
  private readonly resource: ServedResource;
  private readonly parts: StoredJsonParts;
  private readonly itemHead: Buffer | undefined;

  constructor(resource: ServedResource, parts: StoredJsonParts) {
    this.resource = resource;
    this.parts = parts;
    this.itemHead = itemHeadFor(resource);
  }

  /** Revision 0 (a creation with dry run) has no resource version. */
  object(entry: Entry): Buffer {
    if (entry.modRevision === 0) return Buffer.concat([entry.bytes, lineEnd]);
    return withResourceVersion(entry, '\n', takeOutgoing);
  }

  list(result: ListResult): SlicedBody {
    const head = { ...listHeadOf(this.resource, result), ...(this.itemHead && { itemHead: this.itemHead }) };
    const length = listLength(head, result.entries);
    const buffer = { bytes: slicePool.size, length, allocate: takeSlice };
    return { length, slices: listSlices(head, result.entries, buffer), release: giveBack };
  }

  frame({ type, event }: WatchItem): Buffer {
    const { frames, framesMade } = this.parts;
    return frames.take(event, frameKeys[type], () => {
      framesMade.add();
      return watchFrame(type, event);
    });
  }

  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer {
    const { gvk, listKind, naming } = this.resource;
    const apiVersion = apiVersionOf(gvk);
    const emptyList = (): string => emptyListText({ kind: listKind, apiVersion });
    return bookmarkFrame({
      kind: gvk.kind,
      apiVersion,
      revision,
      initialEventsEnd: initialEventsEnd ? { emptyList: emptyList() } : undefined,
      naming,
      writesZeroTime: writesZeroTime(this.resource),
    });
  }

  error(status: Status): Buffer {
    return errorFrame(status);
  }
}

const lineEnd = Buffer.from('\n');
