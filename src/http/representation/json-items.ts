/** Objects as JSON in a list, a frame or a row: stored bytes are copied without parsing. */
import { ownText } from '../../base/own-memory.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import { itemHeadOf } from '../../codec/list-page.ts';
import type { MetadataRange } from '../../codec/stored.ts';
import { beginsWith, metadataRange, splicedLength, versionAt, versionText } from '../../codec/stored.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { EntryForm, EntryCache } from '../../registry/entry-cache.ts';
import { hasProtobuf } from '../wire-types.ts';
import { inRequestVersion } from './projection.ts';
import type { SliceWriter } from './slice-writer.ts';
import type { KeptPart } from './types.ts';

export interface JsonItems {
  /**
   * Writes one object.
   * @param made what `kept` makes, from another thread; it is then cached
   */
  write(entry: Entry, target: SliceWriter, made?: Buffer): void;
  /** What is cached of each entry; absent where writing takes long in spite of it, or is quick without. */
  readonly kept?: KeptPart;
}

/** Members that the items of lists leave out: kind and apiVersion, but for custom resources. */
export function itemHeadFor(resource: ServedResource): Buffer | undefined {
  const { gvk } = resource;
  return hasProtobuf(resource) ? itemHeadOf({ kind: gvk.kind, apiVersion: apiVersionOf(gvk) }) : undefined;
}

/** The complete object in the version of the request. */
export function wholeObjects(resource: ServedResource, kept: EntryCache): JsonItems {
  return resource.conversion.isInternal ? { write: writeStored } : new ConvertedObjects(resource, kept);
}

/** Complete objects in another version than the stored one. */
export class ConvertedObjects implements JsonItems {
  readonly kept: KeptPart;
  private readonly resource: ServedResource;
  private readonly cache: EntryCache;
  private readonly texts: EntryForm<Buffer>;

  constructor(resource: ServedResource, cache: EntryCache) {
    this.resource = resource;
    this.cache = cache;
    this.texts = cache.form((text) => text.length);
    this.kept = { has: (entry) => cache.has(entry, this.texts), make: this.convert };
  }

  write(entry: Entry, target: SliceWriter, made?: Buffer): void {
    target.bytes(this.text(entry, made));
  }

  /** The same objects as the items of a list. */
  get items(): JsonItems {
    const head = itemHeadFor(this.resource);
    if (head === undefined) return this;
    return {
      kept: this.kept,
      write: (entry, target, made) => {
        const text = this.text(entry, made);
        target.text('{');
        target.bytes(text, 1 + (beginsWith(text, head) ? head.length : 0));
      },
    };
  }

  private text(entry: Entry, made: Buffer | undefined): Buffer {
    return this.cache.take(entry, this.texts, made ? () => made : this.convert);
  }

  private readonly convert = (entry: Entry): Buffer =>
    ownText(JSON.stringify(inRequestVersion(this.resource, entry)));
}

/** The stored bytes with the resource version; without one for a creation with dry run. */
function writeStored(entry: Entry, target: SliceWriter): void {
  const { pack, packedAt = 0 } = entry;
  if (pack !== undefined) {
    target.text('{');
    target.bytes(pack.head);
    target.bytes(pack.memory, pack.startOf(packedAt) + 1, pack.endOf(packedAt));
    return;
  }
  const { bytes, modRevision } = entry;
  if (modRevision === 0) {
    target.bytes(bytes);
    return;
  }
  const offset = versionAt(entry);
  target.bytes(bytes, 0, offset);
  target.text(versionText(bytes, offset, modRevision));
  target.bytes(bytes, offset);
}

/** Type and metadata only: a part of the stored bytes. */
export class MetadataItems implements JsonItems {
  private readonly opening: Buffer;
  private readonly cache: EntryCache;
  private readonly ranges: EntryForm<MetadataRange>;

  constructor(type: TypeMeta, cache: EntryCache) {
    this.cache = cache;
    this.ranges = cache.form(() => 0);
    this.opening = ownText(`${JSON.stringify(type).slice(0, -1)},"metadata":{`);
  }

  write(entry: Entry, target: SliceWriter): void {
    this.writeRange(this.cache.take(entry, this.ranges, rangeOf), entry, target);
  }

  /** Like `write`, with the known place of the metadata: finding its end is the main cost. */
  writeRange({ start, end }: MetadataRange, entry: Entry, target: SliceWriter): void {
    target.bytes(this.opening);
    const { pack, packedAt = 0, modRevision } = entry;
    if (pack !== undefined) {
      const shift = pack.startOf(packedAt) - pack.head.length;
      target.bytes(pack.memory, start + shift, end + shift + splicedLength(entry) - sizeOf(entry));
    } else if (modRevision === 0) {
      target.bytes(entry.bytes, start, end);
    } else {
      const { bytes } = entry;
      const offset = versionAt(entry);
      target.bytes(bytes, start, offset);
      target.text(versionText(bytes, offset, modRevision));
      target.bytes(bytes, offset, end);
    }
    target.bytes(closing);
  }
}

function rangeOf({ bytes }: Entry): MetadataRange {
  return metadataRange(bytes);
}

const closing = Buffer.from('}');
