import { systemEnvironment } from '../../../src/base/environment.ts';
import { KeyedQueue } from '../../../src/base/keyed-queue.ts';
import { transact } from '../../../src/registry/write/commit.ts';
import { contend } from '../../../src/registry/write/contention.ts';
import { newWrite } from '../../../src/registry/write/write.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { RegistryDeps } from '../../../src/registry/registry-context.ts';
import { StorageError, type StorageErrorCode } from '../../../src/storage/types.ts';
import { scope, statusOf } from '../../support/registry.ts';

const at = (revision: number) => newEntry('core/configmaps', 'a/x', Buffer.from('{}'), revision);

/** A replica whose view has an object at version 1; it is at version 3. */
const deps = {
  ...systemEnvironment,
  writerQueue: new KeyedQueue(),
  admission: { callsWebhooks: () => false },
  storage: { peek: () => at(1), get: () => Promise.resolve(at(3)) },
} as unknown as RegistryDeps;

/** How often a write is tried whose transaction fails, and what the client is told. */
async function tried(code: StorageErrorCode): Promise<{ attempts: number; status: number }> {
  let attempts = 0;
  const write = newWrite(deps, scope('configmaps', { namespace: 'a' }), 'x', {});
  const outcome = contend(write, () =>
    transact(write, () => {
      attempts += 1;
      return Promise.reject(new StorageError(code, 'etcd did not answer'));
    }),
  );
  const { status } = await statusOf(outcome);
  return { attempts, status: status.code };
}

test('a write of unknown outcome is not tried again: it may have taken effect, and others may have built on it', async () => {
  expect(await tried('timeout')).toEqual({ attempts: 1, status: 504 });
});

test('a write that was refused over an old state is tried over the newest', async () => {
  expect(await tried('tooLarge')).toEqual({ attempts: 2, status: 413 });
});
