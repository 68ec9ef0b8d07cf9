/** Which objects a start passes over, and what it tells of them. */
import { badRequest, invalidObject, serviceUnavailable, StatusError } from '../../../src/meta/status.ts';
import { DamagedObjects } from '../../../src/server/damaged-objects.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import { StorageError } from '../../../src/storage/types.ts';

function watched(): { readonly damaged: DamagedObjects; readonly told: unknown[] } {
  const told: unknown[] = [];
  const error = (_message: string, fields: unknown): void => void told.push(fields);
  return { damaged: new DamagedObjects({ ...silentLogger, error }), told };
}

const gvk = { group: '', version: 'v1', kind: 'Namespace' };
const internal = (cause?: unknown): StatusError => new StatusError(500, 'InternalError', 'x', { cause });

test.each([
  ['has not the shape of its kind', badRequest('x')],
  ['would be invalid', invalidObject(gvk, 'x', [])],
  ['cannot be decoded', internal(new StorageError('unreadable', 'x'))],
  ['has null where an object belongs', new TypeError('x')],
])('an object that %s is told once and passed over', async (_, error) => {
  const { damaged, told } = watched();
  for (let i = 0; i < 3; i += 1) await damaged.skipIfDamaged('namespaces/a', () => Promise.reject(error));
  expect(told).toEqual([{ object: 'namespaces/a', problem: error.message }]);
  await damaged.skipIfDamaged('namespaces/a', () => Promise.resolve());
  await damaged.skipIfDamaged('namespaces/a', () => Promise.reject(error));
  expect(told).toHaveLength(2);
});

test.each([
  ['cannot be reached', serviceUnavailable('x')],
  ['has no room', internal(new StorageError('unsealable', 'x'))],
  ['fails', internal()],
  ['is aborted', new DOMException('x', 'AbortError')],
])('a store that %s is tried again', async (_, error) => {
  const { damaged, told } = watched();
  await expect(damaged.skipIfDamaged('namespaces/a', () => Promise.reject(error))).rejects.toBe(error);
  expect(told).toEqual([]);
});
