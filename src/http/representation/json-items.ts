/** Objects as JSON in a list, a frame or a row: stored bytes are copied without parsing. */
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import { metadataEnd, splicedLength, versionAt, versionText } from '../../codec/stored.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { EntryForm, EntryCache } from '../../registry/entry-cache.ts';
import { inRequestVersion } from './projection.ts';
import type { SliceWriter } from './slice-writer.ts';

export interface JsonItems {
  /** Writes one object. */
  write(entry: Entry, target: SliceWriter): void;
}

/** The complete object in the version of the request. */
export function wholeItems(resource: ServedResource, kept: EntryCache): JsonItems {
  if (resource.conversion.isInternal) return { write: writeStored };
  const texts = kept.form<Buffer>((text) => text.length);
  const convert = (entry: Entry): Buffer => exactBytes(JSON.stringify(inRequestVersion(resource, entry)));
  return {
    write(entry, target) {
      target.bytes(kept.take(entry, texts, convert));
    },
  };
}

/** The stored bytes with the resource version; without one for a creation with dry run. */
function writeStored(entry: Entry, target: SliceWriter): void {
  if (entry.whole !== undefined) {
    target.bytes(entry.whole);
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
  private readonly kept: EntryCache;
  /** The end of the metadata. */
  private readonly ends: EntryForm<number>;

  constructor(type: TypeMeta, kept: EntryCache) {
    this.kept = kept;
    this.ends = kept.form(() => 0);
    this.opening = Buffer.from(`${JSON.stringify(type).slice(0, -1)},"metadata":{`);
  }

  write(entry: Entry, target: SliceWriter): void {
    this.writeUpTo(this.kept.take(entry, this.ends, endOf), entry, target);
  }

  /** Like `write`, with a known end of the metadata: finding it is the main cost. */
  writeUpTo(end: number, entry: Entry, target: SliceWriter): void {
    const offset = versionAt(entry);
    target.bytes(this.opening);
    if (entry.whole !== undefined) {
      target.bytes(entry.whole, offset, end + splicedLength(entry) - sizeOf(entry));
      target.bytes(closing);
      return;
    }
    const { bytes, modRevision } = entry;
    if (modRevision !== 0) target.text(versionText(bytes, offset, modRevision));
    target.bytes(bytes, offset, end);
    target.bytes(closing);
  }
}

function endOf({ bytes }: Entry): number {
  return metadataEnd(bytes);
}

const closing = Buffer.from('}');

/** Text in a buffer of exact size, which keeps no pool memory alive. */
function exactBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
