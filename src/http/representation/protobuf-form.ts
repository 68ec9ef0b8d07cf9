/** Objects, lists and watches in Protobuf. The message of an entry is remembered and serves all three. */
import type { JsonObject } from '../../base/json.ts';
import type { ListHead } from '../../codec/list-page.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import { encodeMessage, encodeProtobuf, encodeProtobufFrame, envelop } from '../../codec/protobuf/codec.ts';
import { protobufListSlices } from '../../codec/protobuf/list-page.ts';
import { protobufMediaType } from '../../meta/naming.ts';
import type { Status } from '../../meta/status.ts';
import type { NumberCell } from '../../observe/cells.ts';
import type { ListResult, WatchItem } from '../../registry/types.ts';
import type { StructSchema } from '../../schema/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import type { WireTypes } from '../wire-types.ts';
import type { MemoBudget } from './memo-budget.ts';
import type { Projection } from './projection.ts';
import type { Representation, SlicedBody } from './types.ts';

/** A slice of a list is about this large, or took this long to make. */
const sliceBytes = 256 * 1024;
const sliceMs = 6;

export interface ProtobufFormParts {
  readonly projection: Projection;
  readonly types: WireTypes;
  readonly budget: MemoBudget;
  readonly framesMade: NumberCell;
}

export class ProtobufForm implements Representation {
  readonly contentType: string;
  readonly watchType: string;
  private readonly parts: ProtobufFormParts;
  private readonly typeMeta: TypeMeta;
  private readonly schema: StructSchema;
  private readonly messageKey = Symbol('message');
  private readonly frameKeys = { ADDED: Symbol('A'), MODIFIED: Symbol('M'), DELETED: Symbol('D') } as const;

  /** @throws Error when the projection's type has no Protobuf form */
  constructor(parts: ProtobufFormParts) {
    this.parts = parts;
    this.contentType = protobufMediaType(parts.types.naming);
    this.watchType = `${this.contentType};stream=watch`;
    this.typeMeta = parts.projection.itemType;
    this.schema = this.schemaOf(this.typeMeta);
  }

  object(entry: Entry): Buffer {
    return envelop(this.typeMeta, this.message(entry));
  }

  list(result: ListResult): SlicedBody {
    return { length: undefined, slices: this.slices(result) };
  }

  frame({ type, event }: WatchItem): Buffer {
    return this.parts.budget.take(event, this.frameKeys[type], () => {
      this.parts.framesMade.add();
      return encodeProtobufFrame(type, this.object(event));
    });
  }

  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer {
    const object = this.parts.projection.bookmark(revision, initialEventsEnd);
    return encodeProtobufFrame('BOOKMARK', encodeProtobuf(this.schema, object));
  }

  error(status: Status): Buffer {
    const schema = this.schemaOf(status);
    return encodeProtobufFrame('ERROR', encodeProtobuf(schema, status as unknown as JsonObject));
  }

  private message(entry: Entry): Buffer {
    return this.parts.budget.take(entry, this.messageKey, () =>
      encodeMessage(this.schema, this.parts.projection.item(entry)),
    );
  }

  private schemaOf({ apiVersion, kind }: TypeMeta): StructSchema {
    const schema = this.parts.types.find(apiVersion, kind);
    if (!schema) throw new Error(`${apiVersion} ${kind} has no Protobuf form`);
    return schema;
  }

  /** A list says its length first: messages are made before anything is sent, with empty slices to let others in. */
  private *slices(result: ListResult): Generator<Buffer, void, undefined> {
    const messages: Buffer[] = [];
    let started = performance.now();
    for (const entry of result.entries) {
      messages.push(this.message(entry));
      if (performance.now() - started < sliceMs) continue;
      yield nothing;
      started = performance.now();
    }
    const { projection } = this.parts;
    yield* protobufListSlices(this.headOf(result), messages, sliceBytes, projection.listNumbers);
  }

  private headOf(result: ListResult): ListHead {
    const { kind, apiVersion } = this.parts.projection.listType;
    return {
      kind,
      apiVersion,
      resourceVersion: String(result.revision),
      continue: result.continue,
      remainingItemCount: result.remainingItemCount,
    };
  }
}

const nothing = Buffer.alloc(0);
