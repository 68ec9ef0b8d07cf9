/**
 * Compact JSON for all but the storage version: Tables, metadata only, converted versions. Written from cached parts.
 */
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { errorFrame } from '../../codec/watch-frame.ts';
import type { Status } from '../../meta/status.ts';
import type { NumberSeries } from '../../observe/metric-series.ts';
import type { ListResult, WatchItem } from '../../registry/types.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import type { JsonItems } from './json-items.ts';
import type { WatchFrameCache } from './watch-frame-cache.ts';
import { emptyListText } from './list-head.ts';
import type { Projection } from './projection.ts';
import { expectedItem, giveBack, SlicePace, SliceWriter } from './slice-writer.ts';
import { madeElsewhere } from './made-elsewhere.ts';
import { inOrderOf } from './ranked-entries.ts';
import type { FormSpec, KeptPart, MakeElsewhere, Representation, SlicedBody } from './types.ts';

/** The parts of a form besides its items. */
export interface JsonFormParts {
  readonly projection: Pick<Projection, 'itemsField' | 'listType' | 'listHead' | 'bookmark' | 'rank'>;
  readonly items: JsonItems;
  /** Writes single objects and frames, if they differ from the items of a list. */
  readonly objects?: JsonItems;
  /** The variable on which a frame depends besides its entry; frames are cached by its value. */
  readonly frameVariant?: (entry: Entry, made?: Buffer) => string;
  readonly frames: WatchFrameCache;
  readonly framesMade: NumberSeries;
  readonly next?: Representation;
  /** Absent if items are copied from stored bytes. */
  readonly spec?: FormSpec;
}

let forms = 0;

export class JsonForm implements Representation {
  readonly contentType = 'application/json';
  readonly watchType = 'application/json';
  readonly next: Representation | undefined;
  readonly spec: FormSpec | undefined;
  readonly kept: KeptPart | undefined;
  private readonly parts: JsonFormParts;
  private readonly objects: JsonItems;
  /** Prefix of frame keys. */
  private readonly name: string;

  constructor(parts: JsonFormParts) {
    this.parts = parts;
    this.objects = parts.objects ?? parts.items;
    this.next = parts.next;
    this.spec = parts.spec;
    this.kept = parts.items.kept;
    forms += 1;
    this.name = `json ${forms}`;
  }

  object(entry: Entry, made?: Buffer): Buffer {
    const writer = new SliceWriter(sizeOf(entry));
    this.objects.write(entry, writer, made);
    writer.text('\n');
    return joined(writer);
  }

  item(entry: Entry): Buffer {
    const writer = new SliceWriter(sizeOf(entry));
    this.parts.items.write(entry, writer);
    return joined(writer);
  }

  list(result: ListResult, elsewhere?: MakeElsewhere): SlicedBody {
    return { length: undefined, slices: this.slices(result, elsewhere), release: giveBack };
  }

  hasFrame(item: WatchItem): boolean {
    const { frames, frameVariant } = this.parts;
    return !frameVariant && frames.has(item.event, this.frameKey(item));
  }

  frame(item: WatchItem, made?: Buffer): Buffer {
    if (made && !this.kept) return made;
    const { type, event } = item;
    const { frames, framesMade } = this.parts;
    const key = this.frameKey(item, made);
    return frames.take(event, key, () => {
      framesMade.add();
      const writer = new SliceWriter(sizeOf(event));
      writer.text(`{"type":"${type}","object":`);
      this.objects.write(event, writer, made);
      writer.text('}\n');
      return Buffer.from(joined(writer));
    });
  }

  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer {
    const { projection } = this.parts;
    const end = initialEventsEnd ? { emptyList: emptyListText(projection.listType) } : undefined;
    const object = projection.bookmark(revision, end);
    return Buffer.from(`{"type":"BOOKMARK","object":${JSON.stringify(object)}}\n`);
  }

  error(status: Status): Buffer {
    return errorFrame(status);
  }

  private *made(
    entry: Entry,
    elsewhere: MakeElsewhere | undefined,
  ): Generator<Promise<Buffer>, Buffer | undefined, undefined> {
    if (this.kept?.has(entry)) return undefined;
    return yield* madeElsewhere(elsewhere, entry, this.kept ? 'kept' : 'item');
  }

  private frameKey({ type, event }: WatchItem, made?: Buffer): string {
    return `${this.name} ${type} ${this.parts.frameVariant?.(event, made) ?? ''}`;
  }

  private *slices(
    result: ListResult,
    elsewhere: MakeElsewhere | undefined,
  ): Generator<MaybePromise<Buffer>, void, undefined> {
    const { projection, items } = this.parts;
    const writer = new SliceWriter(result.entries.length * expectedItem);
    writer.text(opening(projection.listHead(result), projection.itemsField));
    const pace = new SlicePace();
    let isFirst = true;
    // What is made of large entries elsewhere is what is kept of them, or a whole item, which has no rank.
    const made = this.kept && ((entry: Entry) => this.made(entry, elsewhere));
    for (const entry of yield* inOrderOf(projection.rank, result.entries, made)) {
      if (isFirst) isFirst = false;
      else writer.text(',');
      const part = yield* this.made(entry, elsewhere);
      if (part && !this.kept) writer.bytes(part);
      else items.write(entry, writer, part);
      const ready = pace.ready(writer);
      if (ready.length === 0) continue;
      yield* ready;
      pace.begin();
    }
    writer.text(']}\n');
    yield* writer.takeAll();
  }
}

function opening(head: JsonObject, field: string): string {
  return `${JSON.stringify(head).slice(0, -1)},"${field}":[`;
}

function joined(writer: SliceWriter): Buffer {
  const slices = writer.takeAll();
  const [only] = slices;
  return only && slices.length === 1 ? only : Buffer.concat(slices);
}
