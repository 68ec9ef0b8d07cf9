/** Creations that depend on an object of another etcd cluster. */
import { createUnderForeignCondition } from '../../../../src/storage/write/foreign-condition.ts';
import {
  StorageError,
  type Entry,
  type Revision,
  type StorageErrorCode,
} from '../../../../src/storage/types.ts';

const condition = { collection: 'core/namespaces', key: 'default', revision: 7 };
const created = { collection: 'core/events', key: 'default/a', bytes: Buffer.from('{}') };

function entryAt(modRevision: Revision): Entry {
  return { collection: '', key: '', modRevision, bytes: Buffer.alloc(0), memo: undefined };
}

/** Runs a creation; `namespace`: its revision before and after the write, undefined if it does not exist. */
async function run(
  namespace: readonly (Revision | undefined | Error)[],
  onRemoval: (revision: Revision) => void = () => undefined,
): Promise<{ calls: string[]; outcome: Revision | StorageErrorCode }> {
  const calls: string[] = [];
  const found = [...namespace];
  const target = {
    create: (collection: string, key: string) => {
      calls.push(`create ${collection}/${key}`);
      return Promise.resolve({ revision: 40 });
    },
    delete: (_collection: string, key: string, expected: Revision) => {
      calls.push(`delete ${key} at ${String(expected)}`);
      return Promise.resolve().then(() => {
        onRemoval(expected);
        return { revision: 50 };
      });
    },
  };
  const get = (): Promise<Entry | undefined> => {
    const revision = found.shift();
    if (revision instanceof Error) return Promise.reject(revision);
    return Promise.resolve(revision === undefined ? undefined : entryAt(revision));
  };
  try {
    const parts = { target, other: { get }, condition };
    return { calls, outcome: (await createUnderForeignCondition(parts, created)).revision };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { calls, outcome: error.code };
  }
}

const create = 'create core/events/default/a';
const away = new StorageError('unavailable', 'etcd is away');

test('the object stays if the condition holds before and after the write', async () => {
  expect(await run([7, 7])).toEqual({ calls: [create], outcome: 40 });
});

test('nothing is written if the condition does not hold, or cannot be read', async () => {
  expect(await run([8])).toEqual({ calls: [], outcome: 'conditionFailed' });
  expect(await run([undefined])).toEqual({ calls: [], outcome: 'conditionFailed' });
  expect(await run([away])).toEqual({ calls: [], outcome: 'unavailable' });
});

test('an object that was written while the condition changed is removed again', async () => {
  const calls = [create, 'delete default/a at 40'];
  expect(await run([7, 8])).toEqual({ calls, outcome: 'conditionFailed' });
  expect(await run([7, undefined])).toEqual({ calls, outcome: 'conditionFailed' });
});

test('it may have been replaced or removed meanwhile', async () => {
  const replaced = await run([7, 8], (revision) => {
    if (revision < 42) throw new StorageError('conflict', '', { current: entryAt(revision + 1) });
  });
  expect(replaced.calls.slice(1)).toEqual([
    'delete default/a at 40',
    'delete default/a at 41',
    'delete default/a at 42',
  ]);
  expect(replaced.outcome).toBe('conditionFailed');
  const removed = await run([7, 8], () => {
    throw new StorageError('notFound', '');
  });
  expect(removed.outcome).toBe('conditionFailed');
});

test('if the condition cannot be read after the write, or the object not be removed, the outcome is unknown', async () => {
  expect(await run([7, away])).toEqual({ calls: [create], outcome: 'timeout' });
  const stuck = await run([7, 8], () => {
    throw away;
  });
  expect(stuck.outcome).toBe('timeout');
  const contended = await run([7, 8], (revision) => {
    throw new StorageError('conflict', '', { current: entryAt(revision + 1) });
  });
  expect(contended).toMatchObject({ outcome: 'timeout', calls: { length: 6 } });
});
