/** Goes through a past commit by commit, with all objects as they are before and after each. */
import type { JsonObject } from '../../../../src/base/json.ts';
import type { Change, CollectionId, Commit, Past } from '../types.ts';

/** The parts of stored objects that invariants look at. */
export interface StoredObject {
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly {
      readonly uid: string;
      readonly name: string;
      readonly kind: string;
      readonly blockOwnerDeletion?: boolean;
    }[];
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

export type Place = Pick<Change, 'collection' | 'key'>;
export type Owner = NonNullable<StoredObject['metadata']['ownerReferences']>[number];

/** Objects of a collection by key. */
export type Objects = ReadonlyMap<string, StoredObject>;

/** All objects at a revision. */
export class World {
  readonly #collections = new Map<CollectionId, Map<string, StoredObject>>();
  readonly #byUid = new Map<string, Place>();

  collections(): CollectionId[] {
    return [...this.#collections.keys()];
  }

  of(collection: CollectionId): Objects {
    return this.#collections.get(collection) ?? new Map<string, StoredObject>();
  }

  get({ collection, key }: Place): StoredObject | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  withUid(uid: string): Place | undefined {
    return this.#byUid.get(uid);
  }

  objects(): [Place, StoredObject][] {
    return [...this.#collections].flatMap(([collection, objects]) =>
      [...objects].map(([key, object]): [Place, StoredObject] => [{ collection, key }, object]),
    );
  }

  apply({ collection, key, put }: Change): void {
    const objects = this.#collections.get(collection) ?? new Map<string, StoredObject>();
    this.#collections.set(collection, objects);
    this.#byUid.delete(objects.get(key)?.metadata.uid ?? '');
    if (put === undefined) {
      objects.delete(key);
      return;
    }
    const object = asStored(put.object);
    objects.set(key, object);
    if (object.metadata.uid !== undefined) this.#byUid.set(object.metadata.uid, { collection, key });
  }
}

/** Whether an object is being deleted. */
export function isMarked(object: JsonObject | StoredObject | undefined): boolean {
  return asStored(object).metadata.deletionTimestamp !== undefined;
}

/** The namespace of a key, with its slash. */
export function namespaceOf(key: string): string {
  return key.slice(0, key.indexOf('/') + 1);
}

/** Whether names have an object: as `<collection>/<key>`, by its uid, or as one of `<collection>/<namespace>/`. */
export function isNamedIn(
  names: ReadonlySet<string>,
  { collection, key }: Place,
  object: StoredObject | undefined,
): boolean {
  const { uid = '' } = asStored(object).metadata;
  return [`${collection}/${key}`, uid, `${collection}/${namespaceOf(key)}`].some((each) => names.has(each));
}

/** Whether the namespace of an object is being deleted. */
export function isOfEndingNamespace(world: World, { key }: Place): boolean {
  return isMarked(world.get({ collection: 'core/namespaces', key: key.split('/')[0] ?? '' }));
}

export function ownersOf(object: JsonObject | StoredObject | undefined): readonly Owner[] {
  return asStored(object).metadata.ownerReferences ?? [];
}

/** Keys without an object are such as those of claims; they count as objects without a content. */
export function asStored(object: JsonObject | StoredObject | undefined): StoredObject {
  return { metadata: {}, ...object };
}

/**
 * Calls `before` with the state before each commit, `after` with that behind it. The world is the same one each time.
 * @returns the state at the end
 */
export function walk(
  { commits }: Past,
  {
    before,
    after,
  }: { before?: (commit: Commit, world: World) => void; after?: (commit: Commit, world: World) => void },
): World {
  const world = new World();
  for (const commit of commits) {
    before?.(commit, world);
    for (const change of commit.changes) world.apply(change);
    after?.(commit, world);
  }
  return world;
}
