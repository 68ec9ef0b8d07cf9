/**
 * Decodes objects that another build stored in a version that is not the storage version of this build (Kubernetes
 * deprecation policy, rule #4a). Storage calls this for each value, so that other code sees only the storage version.
 */
import type { ApiContext } from '../../api/types.ts';
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { atOnce } from '../../base/sliced-work.ts';
import { quoted } from '../../base/short-text.ts';
import { DecodeError } from '../../codec/decode-error.ts';
import { isJsonTextInSteps } from '../../codec/json-text.ts';
import { decodeStored, decodeStoredInSteps, encodeStored, hasStoredHead } from '../../codec/stored.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { anonymousUser } from '../../meta/user.ts';
import { structureErrors } from '../../schema/structure-in-steps.ts';
import { fillZeroValues } from '../../schema/zero-values.ts';
import type { Recode } from '../../storage/options.ts';
import { announcedGroup, claimedGroup, type CollectionId } from '../../storage/types.ts';
import { everyVersion, type CatalogueSources } from '../catalogue/every-version.ts';
import type { ServedResource } from '../types.ts';

export interface StoredVersionsParts extends CatalogueSources {
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly now: () => Date;
}

/** A collection: the prefix of its values, and the versions that they may have. */
interface VersionedCollection {
  readonly opening: Buffer;
  /** What other programs wrote must have the shape of its type. */
  readonly isTyped: boolean;
  /** Own values are checked to be JSON, too. */
  readonly isCheckedWhole: boolean;
  readonly versions: Map<string, ServedResource>;
}

/**
 * As `StorageOptions.recode`. Of a value that this service wrote only the beginning and the end are looked at, unless it
 * is one of those few by which the service works before any request. What another program wrote is checked as a whole:
 * lists copy values, so one that is no JSON would spoil those of all others. Where the service itself works by the
 * objects, such a value must have the shape of its type, as everything has for kube-apiserver, which decodes each value.
 * @throws DecodeError for a value that is no object, other errors for one that its collection does not know
 */
export function createRecode(parts: StoredVersionsParts): Recode {
  const collections = collectionsOf(parts);
  function* inSteps(
    collection: CollectionId,
    value: Buffer,
    isOwn: boolean,
  ): Generator<void, Buffer | undefined, void> {
    if (isWithoutObjects(collection)) return undefined;
    if (!isClosed(value)) throw new DecodeError('the stored text is cut off, or not an object');
    const versioned = collections.get(collection);
    const isInForm = versioned === undefined ? hasStoredHead(value) : beginsWith(value, versioned.opening);
    // Its opening says what it is; the rest is JSON or not, which is known sooner than the value.
    const isTrusted = isOwn && versioned?.isCheckedWhole !== true;
    const typed = isOwn ? undefined : typedOf(versioned);
    const isKept = isInForm && !typed;
    if (isKept && (isTrusted || (versioned !== undefined && (yield* isJsonTextInSteps(value)))))
      return undefined;
    const object = value.length > largeBytes ? yield* decodeStoredInSteps(value) : decodeStored(value);
    assertTyped(object);
    if (typed) yield* assertShape(typed, object);
    if (isInForm) return undefined;
    if (versioned !== undefined) return encodeStored(current(parts, versioned, { object, value }));
    return encodeStored(withMetadata(object));
  }
  const recode = (collection: CollectionId, value: Buffer, isOwn: boolean): Buffer | undefined =>
    atOnce(inSteps(collection, value, isOwn));
  return Object.assign(recode, { inSteps });
}

/** Smaller values are read sooner in one step. */
const largeBytes = 64 * 1024;

/** The values of claims and announcements are no objects. */
function isWithoutObjects(collection: CollectionId): boolean {
  return collection.startsWith(`${claimedGroup}/`) || collection.startsWith(`${announcedGroup}/`);
}

/** @throws DecodeError */
function assertTyped({ kind, apiVersion }: JsonObject): void {
  if (typeof kind !== 'string' || kind === '') throw new DecodeError('the stored object has no kind');
  if (typeof apiVersion !== 'string') throw new DecodeError('the stored object has no apiVersion');
}

function typedOf(versioned: VersionedCollection | undefined): VersionedCollection | undefined {
  return versioned?.isTyped === true ? versioned : undefined;
}

/** @throws DecodeError for what its type cannot hold; nothing of a version that is not known here */
function* assertShape({ versions }: VersionedCollection, object: JsonObject): Generator<void, void, void> {
  const resource = versions.get(object['apiVersion'] as string);
  const [problem] = resource === undefined ? [] : yield* structureErrors(resource.schema, object);
  if (problem !== undefined) throw new DecodeError(problem);
}

function withMetadata(object: JsonObject): JsonObject {
  if (!isObject(object['metadata'])) object['metadata'] = {};
  return object;
}

const brace = 0x7d;
const space = 0x20;

/** Whether the text ends as an object does; other programs may have stored white space behind it. */
function isClosed(value: Buffer): boolean {
  let end = value.length - 1;
  while (end > 0 && (value[end] ?? 0) <= space) end -= 1;
  return value[end] === brace;
}

function beginsWith(value: Buffer, opening: Buffer): boolean {
  return value.length >= opening.length && value.compare(opening, 0, opening.length, 0, opening.length) === 0;
}

function collectionsOf(parts: StoredVersionsParts): Map<CollectionId, VersionedCollection> {
  const collections = new Map<CollectionId, VersionedCollection>();
  for (const resource of everyVersion(parts).filter(({ definition }) => definition.virtual !== true)) {
    const { collection, gvk } = resource.storage;
    const versioned = collections.get(collection) ?? {
      opening: openingOf(gvk),
      isTyped: usedKinds.has(gvk.kind),
      isCheckedWhole: ownGroups.has(shortGroup(gvk.group)),
      versions: new Map(),
    };
    collections.set(collection, versioned);
    versioned.versions.set(apiVersionOf(resource.gvk), resource);
  }
  return collections;
}

/** Groups whose objects say how requests are routed and queued: one that is damaged must not end every start. */
const ownGroups: ReadonlySet<string> = new Set(['apiregistration', 'flowcontrol']);

/**
 * Kinds that the service itself works by: one of another shape must neither end it nor keep a start from its end. Flow
 * control looks at the shape of its own.
 */
const usedKinds: ReadonlySet<string> = new Set([
  ...['APIService', 'CustomResourceDefinition', 'ServiceCIDR', 'LimitRange', 'ResourceQuota'],
]);

/** Without the domain of the naming profile. */
function shortGroup(group: string): string {
  return group.split('.', 1)[0] ?? '';
}

/** As `encodeStored` writes it. */
function openingOf(gvk: ServedResource['gvk']): Buffer {
  return Buffer.from(`{"kind":"${gvk.kind}","apiVersion":"${apiVersionOf(gvk)}","metadata":{`);
}

/**
 * The object in the storage version. May change its argument.
 * @throws Error for a kind or version that the collection does not know, if its text can be kept; else DecodeError
 */
function current(
  parts: StoredVersionsParts,
  { versions }: VersionedCollection,
  { object, value }: { object: JsonObject; value: Buffer },
): JsonObject {
  const { kind, apiVersion } = object;
  const resource = versions.get(typeof apiVersion === 'string' ? apiVersion : '');
  if (resource?.gvk.kind !== kind || resource === undefined) {
    const problem = `${quoted(apiVersion)} ${quoted(kind)} is not known here`;
    throw hasStoredHead(value) ? new Error(problem) : new DecodeError(problem);
  }
  withMetadata(object);
  if (resource.conversion.isInternal) return object;
  // The current defaults of its version, as for clients of that version.
  resource.applyDefaults(object, contextOf(parts, resource));
  const converted = resource.conversion.toInternal(object);
  fillZeroValues(resource.storage.schema, converted);
  return converted;
}

function contextOf(
  { naming, isFeatureEnabled, now }: StoredVersionsParts,
  resource: ServedResource,
): ApiContext {
  const { version } = resource.gvk;
  const own = { allowsPrivileged: true, now, subresource: '', user: anonymousUser };
  return { naming, isFeatureEnabled, version, ...own };
}
