/**
 * A storage that converts, for resources with a `StoredConversion`: verbs read and write objects of the internal
 * version. Snapshots and watches return stored entries, as their readers convert them in batches.
 */
import type { Entry, Storage, StorageWrites, WriteReceipt } from '../../storage/types.ts';
import { StorageError } from '../../storage/types.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import { GrownWrite } from '../../meta/grown-write.ts';
import { sizeOf } from '../../storage/size.ts';
import { newEntry } from '../written-entry.ts';
import type { RequestScope } from '../types.ts';
import type { StoredConversion } from './object-conversion.ts';

/**
 * For a single request; its conversions are aborted with it. Reads of the current object throw GrownWrite where a small stored
 * text becomes a large object, by defaults or a webhook, and the write can move.
 */
export function convertedStorage(
  storage: Storage,
  conversion: StoredConversion,
  scope: RequestScope,
): Storage {
  const shown = async (entry: Entry): Promise<Entry> =>
    (await conversion.decode([entry], scope.signal))[0] ?? entry;
  const translated = async <T>(write: () => Promise<T>): Promise<T> => {
    try {
      return await write();
    } catch (error) {
      throw await inThisVersion(error, shown);
    }
  };
  /** Readers see the stored object converted back, which may lose information. */
  const written = async (
    bytes: Buffer,
    write: (stored: Buffer) => Promise<WriteReceipt>,
    placed: Pick<Entry, 'collection' | 'key'>,
  ): Promise<WriteReceipt> => {
    const stored = await conversion.encode(bytes, scope.signal);
    const receipt = await translated(() => write(stored));
    if (stored === bytes) return receipt;
    const { revision } = receipt;
    const entry = await shown(newEntry(placed.collection, placed.key, stored, revision));
    return { revision, bytes: entry.bytes };
  };
  const writesTo = (target: StorageWrites): StorageWrites => ({
    create: (collection, key, bytes, condition) =>
      written(bytes, (stored) => target.create(collection, key, stored, condition), { collection, key }),
    update: (collection, key, bytes, expected) =>
      written(bytes, (stored) => target.update(collection, key, stored, expected), { collection, key }),
    delete: (collection, key, expected) => translated(() => target.delete(collection, key, expected)),
  });
  return {
    snapshot: (collection, freshness, lifetime) => storage.snapshot(collection, freshness, lifetime),
    get: async (collection, key, freshness, lifetime) => {
      const entry = await storage.get(collection, key, freshness, lifetime);
      return entry && notGrown(await shown(entry), scope);
    },
    peek: (collection, key) => {
      const entry = storage.peek(collection, key);
      const known = entry && conversion.known(entry);
      return known && notGrown(known, scope);
    },
    view: (collection) => storage.view(collection),
    revision: (collection) => storage.revision(collection),
    ...writesTo(storage),
    claiming: (claims) => writesTo(storage.claiming(claims)),
    watch: (options, subscriber) => storage.watch(options, subscriber),
    health: () => storage.health(),
  };
}

/** @throws GrownWrite */
function notGrown(shown: Entry, { growth }: RequestScope): Entry {
  if (growth === 'moves' && sizeOf(shown) > smallBodyBytes) throw new GrownWrite();
  return shown;
}

/**
 * What a write of an object would leave for its readers, without writing: a dry run asks the same conversions, and fails as
 * they do (DryRunnableStorage of the reference).
 */
export function rehearsedWrite(
  conversion: StoredConversion,
  { signal }: RequestScope,
): (placed: Pick<Entry, 'collection' | 'key'>, bytes: Buffer) => Promise<Buffer> {
  return async ({ collection, key }, bytes) => {
    const stored = await conversion.encode(bytes, signal);
    if (stored === bytes) return bytes;
    const [shown] = await conversion.decode([newEntry(collection, key, stored, 0)], signal);
    return shown?.bytes ?? bytes;
  };
}

/** A conflict contains the current object. */
async function inThisVersion(error: unknown, shown: (entry: Entry) => Promise<Entry>): Promise<unknown> {
  if (!(error instanceof StorageError) || !error.current) return error;
  const { code, message, key, revision, cause } = error;
  return new StorageError(code, message, { key, revision, cause, current: await shown(error.current) });
}
