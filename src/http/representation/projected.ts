/** Human-readable forms: a projection of the parsed object, written by a serializer. Only frames are cached. */
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Status } from '../../meta/status.ts';
import type { ListResult, WatchItem } from '../../registry/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import type { NumberSeries } from '../../observe/metric-series.ts';
import type { WatchFrameCache } from './watch-frame-cache.ts';
import { emptyListText } from './list-head.ts';
import type { Projection } from './projection.ts';
import type { Serializer } from './serializer.ts';
import { SlicePace } from './slice-writer.ts';
import { inOrderOf } from './ranked-entries.ts';
import { madeElsewhere } from './made-elsewhere.ts';
import type { FormSpec, MakeElsewhere, Representation, SlicedBody } from './types.ts';

/** A slice ends at this size, or when it has taken its time. */
const sliceLength = 256 * 1024;

export interface ProjectedParts {
  readonly projection: Projection;
  readonly serializer: Serializer;
  readonly frames: WatchFrameCache;
  readonly framesMade: NumberSeries;
  readonly next?: Representation;
  readonly spec: FormSpec;
}

export class Projected implements Representation {
  readonly contentType: string;
  readonly watchType: string;
  readonly next: Representation | undefined;
  readonly spec: FormSpec;
  private readonly parts: ProjectedParts;
  private readonly frameKeys = { ADDED: Symbol('A'), MODIFIED: Symbol('M'), DELETED: Symbol('D') } as const;

  constructor(parts: ProjectedParts) {
    this.parts = parts;
    this.contentType = parts.serializer.mediaType;
    this.watchType = parts.serializer.mediaType;
    this.next = parts.next;
    this.spec = parts.spec;
  }

  object(entry: Entry): Buffer {
    const { projection, serializer } = this.parts;
    return Buffer.from(serializer.value(projection.object(entry)));
  }

  item(entry: Entry, isFirst: boolean): Buffer {
    const { projection, serializer } = this.parts;
    return Buffer.from(serializer.listItem(projection.item(entry), isFirst));
  }

  list(result: ListResult, elsewhere?: MakeElsewhere): SlicedBody {
    return { length: undefined, slices: this.slices(result, elsewhere) };
  }

  hasFrame({ type, event }: WatchItem): boolean {
    return this.parts.frames.has(event, this.frameKeys[type]);
  }

  frame({ type, event }: WatchItem, made?: Buffer): Buffer {
    const { projection, serializer, frames, framesMade } = this.parts;
    const make = (): Buffer => {
      if (made) return made;
      framesMade.add();
      return Buffer.from(serializer.frame(type, projection.object(event)));
    };
    return projection.isStable ? frames.take(event, this.frameKeys[type], make) : make();
  }

  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer {
    const { projection, serializer } = this.parts;
    const end = initialEventsEnd ? { emptyList: emptyListText(projection.listType) } : undefined;
    return Buffer.from(serializer.frame('BOOKMARK', projection.bookmark(revision, end)));
  }

  error(status: Status): Buffer {
    return Buffer.from(this.parts.serializer.frame('ERROR', status as unknown as JsonObject));
  }

  private *slices(
    result: ListResult,
    elsewhere: MakeElsewhere | undefined,
  ): Generator<MaybePromise<Buffer>, void, undefined> {
    const { projection, serializer } = this.parts;
    const entries = yield* inOrderOf(projection.rank, result.entries);
    const isEmpty = entries.length === 0;
    let text = serializer.listOpen(projection.listHead(result), projection.itemsField, isEmpty);
    const pace = new SlicePace();
    let isFirst = true;
    for (const entry of entries) {
      const made = yield* madeElsewhere(elsewhere, entry, isFirst ? 'firstItem' : 'item');
      if (made) {
        yield Buffer.from(text);
        yield made;
        text = '';
        pace.begin();
      } else text += serializer.listItem(projection.item(entry), isFirst);
      isFirst = false;
      if (text.length < sliceLength && !pace.isOver) continue;
      yield Buffer.from(text);
      text = '';
      pace.begin();
    }
    yield Buffer.from(text + serializer.listClose(isEmpty));
  }
}
