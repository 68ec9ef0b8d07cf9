/** The projection of an object in a response: the object in the requested version, its metadata only, or a table. */
import type { JsonObject } from '../../base/json.ts';
import { decodeStored, decodeStoredAt } from '../../codec/stored.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import type { ListNumbers } from '../../codec/protobuf/protobuf-list.ts';
import { bookmarkObject, writesZeroTime, type InitialEventsEnd } from '../../codec/watch-frame.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { metaGroup } from '../../meta/naming.ts';
import type { ListResult, ServedResource } from '../../registry/types.ts';
import { fillZeroValues } from '../../schema/zero-values.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import { hasProtobuf } from '../wire-types.ts';
import { listMetadata } from './list-head.ts';

export interface Projection {
  /** Name of the projection in cache keys. */
  readonly id: string;
  /** False if the same revision may render differently later (ages in tables); then nothing is cached. */
  readonly isStable: boolean;
  /** Field of a list that holds the items. */
  readonly itemsField: string;
  /** Kind and apiVersion of objects and lists. */
  readonly itemType: TypeMeta;
  readonly listType: TypeMeta;
  /** Protobuf field numbers of a list; absent for the usual ones. */
  readonly listNumbers?: ListNumbers;
  object(entry: Entry): JsonObject;
  /** Kind, apiVersion, metadata and other fields before the items. */
  listHead(result: ListResult): JsonObject;
  item(entry: Entry): JsonObject;
  /**
   * A list is sorted by it; absent if its order is kept.
   * @param made what the form caches of the entry, from another thread
   */
  readonly rank?: ((entry: Entry, made?: Buffer) => number) | undefined;
  /** @param initialEventsEnd given for the bookmark behind the initial events */
  bookmark(revision: Revision, initialEventsEnd?: InitialEventsEnd): JsonObject;
}

/** The complete object in the version of the request. */
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
    item: hasProtobuf(resource) ? (entry) => untyped(convert(entry)) : convert,
    listHead: (result) => ({ ...listType, metadata: { ...listMetadata(result) } }),
    bookmark: (revision, initialEventsEnd) =>
      bookmarkOf(resource, { ...itemType, revision, initialEventsEnd }),
  };
}

/** Items of built-in kinds have neither kind nor apiVersion: those of the list say them. */
function untyped(object: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
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
      bookmarkOf(resource, { ...itemType, revision, initialEventsEnd }),
  };
}

/** A parsed stored object with its resource version; without one for a creation with dry run. */
export function decodeStoredEntry({ bytes, modRevision }: Entry): JsonObject {
  return modRevision === 0 ? decodeStored(bytes) : decodeStoredAt(bytes, modRevision);
}

/** Adds the fields that the requested version always writes and that the storage version may lack. */
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
  readonly initialEventsEnd: InitialEventsEnd | undefined;
}

function bookmarkOf(resource: ServedResource, parts: BookmarkParts): JsonObject {
  const { naming } = resource;
  return { ...bookmarkObject({ ...parts, naming, writesZeroTime: writesZeroTime(resource) }) };
}
