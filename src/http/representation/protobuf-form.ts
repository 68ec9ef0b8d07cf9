/** Objects, lists and watches in Protobuf. The message of an entry is cached and used by all three. */
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ListHead } from '../../codec/list-page.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import { encodeMessage, encodeProtobuf, encodeProtobufFrame, envelop } from '../../codec/protobuf/codec.ts';
import { listFrame } from '../../codec/protobuf/protobuf-list.ts';
import { protobufMediaType } from '../../meta/naming.ts';
import type { Status } from '../../meta/status.ts';
import type { NumberSeries } from '../../observe/metric-series.ts';
import type { ListResult, WatchItem } from '../../registry/types.ts';
import type { StructSchema } from '../../schema/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import type { WireTypes } from '../wire-types.ts';
import type { WatchFrameCache } from './watch-frame-cache.ts';
import type { EntryForm, EntryCache } from '../../registry/entry-cache.ts';
import type { Projection } from './projection.ts';
import { giveBack, SlicePace, SliceWriter } from './slice-writer.ts';
import { madeElsewhere } from './made-elsewhere.ts';
import type { FormSpec, KeptPart, MakeElsewhere, Representation, SlicedBody } from './types.ts';

export interface ProtobufFormParts {
  readonly projection: Projection;
  readonly types: WireTypes;
  readonly kept: EntryCache;
  readonly frames: WatchFrameCache;
  readonly framesMade: NumberSeries;
  readonly spec: FormSpec;
}

export class ProtobufForm implements Representation {
  readonly contentType: string;
  readonly watchType: string;
  readonly spec: FormSpec;
  /** Messages of entries. */
  readonly kept: KeptPart;
  private readonly parts: ProtobufFormParts;
  private readonly typeMeta: TypeMeta;
  private readonly schema: StructSchema;
  private readonly messages: EntryForm<Buffer>;
  private readonly frameKeys = { ADDED: Symbol('A'), MODIFIED: Symbol('M'), DELETED: Symbol('D') } as const;

  /** @throws Error if the type of the projection has no Protobuf form */
  constructor(parts: ProtobufFormParts) {
    this.parts = parts;
    this.spec = parts.spec;
    this.contentType = protobufMediaType(parts.types.naming);
    this.watchType = `${this.contentType};stream=watch`;
    this.typeMeta = parts.projection.itemType;
    this.schema = this.schemaOf(this.typeMeta);
    this.messages = parts.kept.form((message) => message.length);
    this.kept = { has: (entry) => parts.kept.has(entry, this.messages), make: this.encode };
  }

  object(entry: Entry, made?: Buffer): Buffer {
    return envelop(this.typeMeta, this.message(entry, made));
  }

  list(result: ListResult, elsewhere?: MakeElsewhere): SlicedBody {
    return { length: undefined, slices: this.slices(result, elsewhere), release: giveBack };
  }

  hasFrame({ type, event }: WatchItem): boolean {
    return this.parts.frames.has(event, this.frameKeys[type]);
  }

  frame({ type, event }: WatchItem, made?: Buffer): Buffer {
    return this.parts.frames.take(event, this.frameKeys[type], () => {
      this.parts.framesMade.add();
      // Deleted objects are not listed, so their message is not cached.
      const message = type === 'DELETED' ? (made ?? this.encode(event)) : this.message(event, made);
      return encodeProtobufFrame(type, envelop(this.typeMeta, message));
    });
  }

  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer {
    const end = initialEventsEnd ? { emptyList: this.emptyList() } : undefined;
    const object = this.parts.projection.bookmark(revision, end);
    return encodeProtobufFrame('BOOKMARK', encodeProtobuf(this.schema, object));
  }

  error(status: Status): Buffer {
    const schema = this.schemaOf(status);
    return encodeProtobufFrame('ERROR', encodeProtobuf(schema, status as unknown as JsonObject));
  }

  private message(entry: Entry, made?: Buffer): Buffer {
    return this.parts.kept.take(entry, this.messages, made ? () => made : this.encode);
  }

  private readonly encode = (entry: Entry): Buffer =>
    encodeMessage(this.schema, this.parts.projection.object(entry));

  private schemaOf({ apiVersion, kind }: TypeMeta): StructSchema {
    const schema = this.parts.types.find(apiVersion, kind);
    if (!schema) throw new Error(`${apiVersion} ${kind} has no Protobuf form`);
    return schema;
  }

  /**
   * A list begins with its length, so all messages are encoded before anything is sent, with empty slices that yield
   * to other requests. Only lengths are held meanwhile; messages that left the cache are encoded again.
   */
  private *slices(
    { entries, ...result }: ListResult,
    elsewhere: MakeElsewhere | undefined,
  ): Generator<MaybePromise<Buffer>, void, undefined> {
    const lengths = new Uint32Array(entries.length);
    const pace = new SlicePace();
    let measured = 0;
    for (const entry of entries) {
      lengths[measured++] = (yield* this.listed(entry, elsewhere)).length;
      if (!pace.isOver) continue;
      yield nothing;
      pace.begin();
    }
    const frame = listFrame(this.headOf(result), lengths, this.parts.projection.listNumbers);
    const writer = new SliceWriter(frame.length);
    writer.bytes(frame.before);
    let written = 0;
    for (const entry of entries) {
      const message = yield* this.listed(entry, elsewhere);
      if (message.length !== lengths[written++])
        throw new Error(`${entry.key} is encoded differently the second time`);
      frame.writeItemHead(writer, message.length);
      writer.bytes(message);
      const ready = pace.ready(writer);
      if (ready.length === 0) continue;
      yield* ready;
      pace.begin();
    }
    writer.bytes(frame.after);
    yield* writer.takeAll();
  }

  /** The message of an item; that of a large entry comes from another thread and is cached here. */
  private *listed(
    entry: Entry,
    elsewhere: MakeElsewhere | undefined,
  ): Generator<Promise<Buffer>, Buffer, undefined> {
    const made = this.kept.has(entry) ? undefined : yield* madeElsewhere(elsewhere, entry, 'kept');
    return this.message(entry, made);
  }

  private emptyList(): Buffer {
    const { listType } = this.parts.projection;
    return encodeProtobuf(this.schemaOf(listType), { ...listType, metadata: {}, items: [] });
  }

  private headOf(result: Omit<ListResult, 'entries'>): ListHead {
    const { kind, apiVersion } = this.parts.projection.listType;
    return {
      kind,
      apiVersion,
      selfLink: result.selfLink,
      resourceVersion: String(result.revision),
      continue: result.continue,
      remainingItemCount: result.remainingItemCount,
    };
  }
}

const nothing = Buffer.alloc(0);
