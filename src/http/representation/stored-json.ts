/** The hot form: JSON in the storage version. Stored bytes are copied with the resource version spliced in. */
import { BufferPool } from '../../base/buffer-pool.ts';
import { Slab } from '../../base/slab.ts';
import { listSlices, measureList } from '../../codec/list-page.ts';
import { withResourceVersion } from '../../codec/stored.ts';
import { bookmarkFrame, errorFrame, watchFrame } from '../../codec/watch-frame.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { Status } from '../../meta/status.ts';
import type { ListResult, ServedResource, WatchItem } from '../../registry/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import type { NumberCell } from '../../observe/cells.ts';
import { listHeadOf } from './list-head.ts';
import type { MemoBudget } from './memo-budget.ts';
import type { Representation, SlicedBody } from './types.ts';

/** Bytes of one slice of a list: large enough for TLS, small enough to copy in well under a millisecond. */
const slices = new BufferPool(256 * 1024, 32);
const giveBack = slices.give.bind(slices);
const takeSlice = slices.take.bind(slices);

/** Single objects on their way out; none is kept. */
const outgoing = new Slab(256 * 1024);
const takeOutgoing = outgoing.take.bind(outgoing);

/**
 * Adding up the length of more entries than this would hold the thread: 3 µs each where their heads come from memory,
 * 33 ms for 10,000. Such lists go out chunked.
 */
const maxMeasured = 1_000;

/** Frames of the storage version are the same for every resource, so their keys may be shared. */
const frameKeys = {
  ADDED: Symbol('ADDED'),
  MODIFIED: Symbol('MODIFIED'),
  DELETED: Symbol('DELETED'),
} as const;

export class StoredJson implements Representation {
  readonly contentType = 'application/json';
  readonly watchType = 'application/json';
  private readonly resource: ServedResource;
  private readonly budget: MemoBudget;
  private readonly framesMade: NumberCell;

  constructor(resource: ServedResource, budget: MemoBudget, framesMade: NumberCell) {
    this.resource = resource;
    this.budget = budget;
    this.framesMade = framesMade;
  }

  /** Revision 0 (a dry run's creation) has no resource version. */
  object({ bytes, modRevision }: Entry): Buffer {
    if (modRevision === 0) return Buffer.concat([bytes, lineEnd]);
    return withResourceVersion(bytes, modRevision, '\n', takeOutgoing);
  }

  list(result: ListResult): SlicedBody {
    const head = listHeadOf(this.resource, result);
    const measures = result.entries.length <= maxMeasured ? measureList(head, result.entries) : undefined;
    const room = { bytes: slices.size, measures, allocate: takeSlice };
    return { length: measures?.total, slices: listSlices(head, result.entries, room), release: giveBack };
  }

  frame({ type, event }: WatchItem): Buffer {
    return this.budget.take(event, frameKeys[type], () => {
      this.framesMade.add();
      return watchFrame(type, event.bytes, event.modRevision);
    });
  }

  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer {
    const { gvk, naming } = this.resource;
    return bookmarkFrame({
      kind: gvk.kind,
      apiVersion: apiVersionOf(gvk),
      revision,
      initialEventsEnd,
      naming,
    });
  }

  error(status: Status): Buffer {
    return errorFrame(status);
  }
}

const lineEnd = Buffer.from('\n');
