/** Following a collection for good, whatever ends its watches. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { followCollection } from '../../../src/storage/follow-collection.ts';
import { waitFor } from '../../support/wait-for.ts';
import { configMap, scope, startRegistry, type TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;

beforeAll(async () => {
  registry = await startRegistry();
  await registry.verbs.create(scope('namespaces'), '', { metadata: { name: 'follow' } });
});
afterAll(() => registry.close());

const create = (name: string): Promise<unknown> =>
  registry.verbs.create(scope('configmaps', { namespace: 'follow' }), '', configMap(name));

test('a listener that throws gets the reason, the whole state again, and then events', async () => {
  const told: string[] = [];
  const stopping = new AbortController();
  const listener = {
    onState: (snapshot: { size: number }): void => void told.push(`state of ${snapshot.size}`),
    onEvents: (events: readonly { key: string }[]): void => {
      told.push(...events.map(({ key }) => key));
      if (told.includes('follow/b')) return;
      throw new Error('not this one');
    },
    onBreak: ({ code }: { code: string }): void => void told.push(code),
  };
  followCollection(
    { ...systemEnvironment, storage: registry.storage },
    'core/configmaps',
    listener,
    stopping.signal,
  );
  await waitFor('the state', () => told.length === 1);
  await create('a');
  await waitFor('the state again', () => told.includes('state of 1'));
  await create('b');
  await waitFor('the next event', () => told.includes('follow/b'));
  expect(told).toEqual(['state of 0', 'follow/a', 'watcherFailed', 'state of 1', 'follow/b']);
  stopping.abort();
  await create('c');
  expect(told).toHaveLength(5);
});

test('a signal that was given before it begins', async () => {
  const told: unknown[] = [];
  const onState = (state: unknown): void => void told.push(state);
  followCollection(
    { ...systemEnvironment, storage: registry.storage },
    'core/configmaps',
    { onState, onEvents: onState },
    AbortSignal.abort(),
  );
  await create('late');
  expect(told).toEqual([]);
});
