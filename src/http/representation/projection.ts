/** What of an object an answer shows: the object in the request's version, its metadata only, or a table of it. */
import type { JsonObject } from '../../base/json.ts';
import { decodeStored, decodeStoredAt } from '../../codec/stored.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import type { ListNumbers } from '../../codec/protobuf/list-page.ts';
import { bookmarkObject } from '../../codec/watch-frame.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { metaGroup } from '../../meta/naming.ts';
import type { ListResult, ServedResource } from '../../registry/types.ts';
import { fillZeroValues } from '../../schema/zero-values.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import { listMetadata } from './list-head.ts';

export interface Projection {
  /** Names the projection in memo keys. */
  readonly id: string;
  /** False when the same revision may look different later (ages in tables): then nothing is remembered. */
  readonly isStable: boolean;
  /** Member of a list that holds the items. */
  readonly itemsField: string;
  /** What objects and lists say that they are. */
  readonly itemType: TypeMeta;
  readonly listType: TypeMeta;
  /** Where a list's parts stand in Protobuf; absent: where they always do. */
  readonly listNumbers?: ListNumbers;
  object(entry: Entry): JsonObject;
  /** Kind, apiVersion, metadata and whatever else stands before the items. */
  listHead(result: ListResult): JsonObject;
  item(entry: Entry): JsonObject;
  /** Entries of a list in the order in which they are shown. Absent: as they are. */
  inOrder?(entries: readonly Entry[]): readonly Entry[];
  bookmark(revision: Revision, initialEventsEnd: boolean): JsonObject;
}

/** The whole object in the version of the request. */
export function wholeObject(resource: ServedResource): Projection {
  const convert = (entry: Entry): JsonObject => inRequestVersion(resource, entry);
  const apiVersion = apiVersionOf(resource.gvk);
  const itemType = { kind: resource.gvk.kind, apiVersion };
  const listType = { kind: resource.listKind, apiVersion };
  return {
    id: 'whole',
    isStable: true,
    itemsField: 'items',
    itemType,
    listType,
    object: convert,
    item: convert,
    listHead: (result) => ({ ...listType, metadata: { ...listMetadata(result) } }),
    bookmark: (revision, initialEventsEnd) =>
      bookmarkOf(resource.naming, { ...itemType, revision, initialEventsEnd }),
  };
}

/** Only type and metadata (`as=PartialObjectMetadata`). */
export function partialMetadata(resource: ServedResource, version: string): Projection {
  const apiVersion = `${metaGroup(resource.naming)}/${version}`;
  const convert = (entry: Entry): JsonObject => metadataOf(decodeStoredEntry(entry), apiVersion);
  const itemType = { kind: 'PartialObjectMetadata', apiVersion };
  const listType = { kind: 'PartialObjectMetadataList', apiVersion };
  return {
    id: `metadata/${version}`,
    isStable: true,
    itemsField: 'items',
    itemType,
    listType,
    ...(version === 'v1beta1' && { listNumbers: { items: 1, metadata: 2 } }),
    object: convert,
    item: convert,
    listHead: (result) => ({ ...listType, metadata: { ...listMetadata(result) } }),
    bookmark: (revision, initialEventsEnd) =>
      bookmarkOf(resource.naming, { ...itemType, revision, initialEventsEnd }),
  };
}

/** A parsed stored object with its resource version; without one for a dry run's creation. */
export function decodeStoredEntry({ bytes, modRevision }: Entry): JsonObject {
  return modRevision === 0 ? decodeStored(bytes) : decodeStoredAt(bytes, modRevision);
}

/** What the version of the request always writes is there, though the stored one may have no such field. */
export function inRequestVersion(resource: ServedResource, entry: Entry): JsonObject {
  const object = decodeStoredEntry(entry);
  if (resource.conversion.isInternal) return object;
  const shown = resource.conversion.fromInternal(object);
  fillZeroValues(resource.schema, shown);
  return shown;
}

export function metadataOf(object: JsonObject, apiVersion: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object['metadata'] ?? {} };
}

interface BookmarkParts {
  readonly kind: string;
  readonly apiVersion: string;
  readonly revision: Revision;
  readonly initialEventsEnd: boolean;
}

function bookmarkOf(naming: NamingProfile, parts: BookmarkParts): JsonObject {
  return { ...bookmarkObject({ ...parts, naming }) };
}
