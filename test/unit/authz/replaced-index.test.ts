/** An index whose watch begins again with a state that lacks most of what it holds: it lets go of that in slices. */
import { followIntoIndex } from '../../../src/authz/index-follower.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { CollectionSnapshot, Storage, WatchSubscriber } from '../../../src/storage/types.ts';
import { countedTurns } from '../../support/counted-turns.ts';

const turns = countedTurns();
const removalMs = 0.5;

test('objects that are gone', async () => {
  const held = new Set(Array.from({ length: 1_000 }, (_, i) => `binding-${String(i)}`));
  const index = {
    keys: () => held,
    put: () => undefined,
    remove: (key: string) => {
      turns.step(removalMs);
      held.delete(key);
    },
  };
  const stopping = new AbortController();
  const storage: Pick<Storage, 'watch'> = {
    watch: (_options, subscriber: WatchSubscriber) => {
      const get = (key: string): unknown => (key === 'binding-7' ? {} : undefined);
      subscriber.onEstablished();
      subscriber.onInitial({ revision: 1, get, entries: () => [] } as unknown as CollectionSnapshot);
      return { close: () => undefined };
    },
  };
  const { loaded } = followIntoIndex(index, {
    ...{ ...systemEnvironment, storage, collection: 'any/bindings' },
    ...{ signal: stopping.signal, warn: () => undefined },
  });
  await loaded;
  stopping.abort();
  expect([...held]).toEqual(['binding-7']);
  // 5 ms, and one more.
  expect(turns.most()).toBeLessThanOrEqual(5 / removalMs + 2);
});
