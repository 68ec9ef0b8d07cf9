/**
 * Creations whose condition is in another etcd cluster: no transaction covers both. The condition is read before the
 * write and after it; if it holds no longer, the object is removed again and the creation fails as in one cluster. A
 * process that ends in between leaves the object.
 */
import {
  StorageError,
  type CollectionId,
  type Condition,
  type ObjectKey,
  type Revision,
  type Storage,
  type WriteReceipt,
} from '../types.ts';

export interface ForeignCondition {
  /** Has the object. */
  readonly target: Pick<Storage, 'create' | 'delete'>;
  /** Has the object of the condition. */
  readonly other: Pick<Storage, 'get'>;
  readonly condition: Condition;
}

export interface CreatedObject {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly bytes: Buffer;
}

const neverOver = { aborted: false, reason: undefined };
/** Others may write the object in the meantime. */
const maxRemovals = 5;

/**
 * @throws StorageError of a creation: `conditionFailed`, with nothing stored; `timeout`, if the object is stored and
 * the condition cannot be read, or the object not be removed
 */
export async function createUnderForeignCondition(
  { target, other, condition }: ForeignCondition,
  { collection, key, bytes }: CreatedObject,
): Promise<WriteReceipt> {
  if (!(await isMet(other, condition))) throw failed(condition);
  const receipt = await target.create(collection, key, bytes);
  try {
    if (await isMet(other, condition)) return receipt;
    await remove(target, { collection, key }, receipt.revision);
  } catch (error) {
    const message = 'the object is stored, but what it depends on could not be checked';
    throw new StorageError('timeout', message, { key, cause: error });
  }
  throw failed(condition);
}

async function isMet(
  other: Pick<Storage, 'get'>,
  { collection, key, revision }: Condition,
): Promise<boolean> {
  const entry = await other.get(collection, key, { kind: 'mostRecent' }, neverOver);
  return entry?.modRevision === revision;
}

async function remove(
  target: Pick<Storage, 'delete'>,
  { collection, key }: Pick<CreatedObject, 'collection' | 'key'>,
  stored: Revision,
): Promise<void> {
  let revision = stored;
  for (let attempt = 1; ; attempt++) {
    try {
      await target.delete(collection, key, revision);
      return;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (error.code === 'notFound') return;
      if (error.code !== 'conflict' || attempt >= maxRemovals || !error.current) throw error;
      revision = error.current.modRevision;
    }
  }
}

function failed({ collection, key }: Condition): StorageError {
  return new StorageError('conditionFailed', `${collection}/${key} has changed`, { key });
}
