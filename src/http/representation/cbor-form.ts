/**
 * Objects, lists and watches in CBOR. What is encoded of an entry is cached and used by all three: the object without its
 * type, which items of lists leave out.
 */
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { cborFrame, cborListOpening, cborObject, withType } from '../../codec/cbor/cbor-frames.ts';
import { encodeCbor, encodeCborDocument } from '../../codec/cbor/encode-cbor.ts';
import { cborMediaType, cborSequenceMediaType } from '../../codec/decode-body.ts';
import type { Status } from '../../meta/status.ts';
import type { NumberSeries } from '../../observe/metric-series.ts';
import type { EntryCache, EntryForm } from '../../registry/entry-cache.ts';
import type { ListResult, WatchItem } from '../../registry/types.ts';
import type { Schema } from '../../schema/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import { madeElsewhere } from './made-elsewhere.ts';
import type { Projection } from './projection.ts';
import { expectedItem, giveBack, SlicePace, SliceWriter } from './slice-writer.ts';
import type { FormSpec, KeptPart, MakeElsewhere, Representation, SlicedBody } from './types.ts';
import type { WatchFrameCache } from './watch-frame-cache.ts';

export interface CborFormParts {
  readonly projection: Projection;
  /** Finds the fields that hold bytes; absent: none does. */
  readonly schema: Schema | undefined;
  /** Items of lists say what they are. */
  readonly hasTypedItems: boolean;
  readonly kept: EntryCache;
  readonly frames: WatchFrameCache;
  readonly framesMade: NumberSeries;
  readonly spec: FormSpec;
}

export class CborForm implements Representation {
  readonly contentType = cborMediaType;
  readonly watchType = cborSequenceMediaType;
  readonly spec: FormSpec;
  readonly kept: KeptPart;
  private readonly parts: CborFormParts;
  private readonly items: EntryForm<Buffer>;
  private readonly frameKeys = { ADDED: Symbol('A'), MODIFIED: Symbol('M'), DELETED: Symbol('D') } as const;

  constructor(parts: CborFormParts) {
    this.parts = parts;
    this.spec = parts.spec;
    this.items = parts.kept.form((item) => item.length);
    this.kept = { has: (entry) => parts.kept.has(entry, this.items), make: this.encode };
  }

  object(entry: Entry, made?: Buffer): Buffer {
    return cborObject(withType(this.take(entry, made), this.parts.projection.itemType));
  }

  list(result: ListResult, elsewhere?: MakeElsewhere): SlicedBody {
    return { length: undefined, slices: this.slices(result, elsewhere), release: giveBack };
  }

  hasFrame({ type, event }: WatchItem): boolean {
    return this.parts.frames.has(event, this.frameKeys[type]);
  }

  frame({ type, event }: WatchItem, made?: Buffer): Buffer {
    const { frames, framesMade, projection } = this.parts;
    return frames.take(event, this.frameKeys[type], () => {
      framesMade.add();
      // Deleted objects are not listed, so what is made of them is not cached.
      const item = type === 'DELETED' ? (made ?? this.encode(event)) : this.take(event, made);
      return cborFrame(type, withType(item, projection.itemType));
    });
  }

  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer {
    const { projection } = this.parts;
    const emptyList = (): Buffer => encodeCborDocument({ ...projection.listType, metadata: {}, items: [] });
    const end = initialEventsEnd ? { emptyList: emptyList() } : undefined;
    return cborFrame('BOOKMARK', encodeCbor(projection.bookmark(revision, end)));
  }

  error(status: Status): Buffer {
    return cborFrame('ERROR', encodeCbor(status as unknown as JsonObject));
  }

  private take(entry: Entry, made: Buffer | undefined): Buffer {
    return this.parts.kept.take(entry, this.items, made ? () => made : this.encode);
  }

  private readonly encode = (entry: Entry): Buffer => {
    const { projection, schema } = this.parts;
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = projection.object(entry);
    return encodeCbor(rest, schema);
  };

  private *slices(
    result: ListResult,
    elsewhere: MakeElsewhere | undefined,
  ): Generator<MaybePromise<Buffer>, void, undefined> {
    const { projection, hasTypedItems } = this.parts;
    const { entries } = result;
    const writer = new SliceWriter(entries.length * expectedItem);
    writer.bytes(cborListOpening(projection.listHead(result), projection.itemsField, entries.length));
    const pace = new SlicePace();
    for (const entry of entries) {
      const made = this.kept.has(entry) ? undefined : yield* madeElsewhere(elsewhere, entry, 'kept');
      const item = this.take(entry, made);
      writer.bytes(hasTypedItems ? withType(item, projection.itemType) : item);
      const ready = pace.ready(writer);
      if (ready.length === 0) continue;
      yield* ready;
      pace.begin();
    }
    yield* writer.takeAll();
  }
}
