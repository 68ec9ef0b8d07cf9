/** Indexes of authorization follow floods of large changes without holding the thread. */
import { followIntoIndex, type FollowedIndex, type Following } from '../../../src/authz/index-follower.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Entry, StoredEvent, WatchSubscriber } from '../../../src/storage/types.ts';

const large = 1_200_000;

/** A watch of which the test makes the events, and the index that follows it. */
class Followed {
  /** What the index holds: revisions by key. */
  readonly held = new Map<string, number>();
  /** Keys in the order in which they were put, in each turn of the event loop. */
  readonly turns: string[][] = [[]];
  readonly stopping = new AbortController();
  readonly following: Following;
  #subscriber: WatchSubscriber | undefined;

  constructor(prepare?: FollowedIndex['prepare']) {
    const index = {
      ...(prepare && { prepare }),
      keys: () => this.held.keys(),
      put: ({ key, modRevision, bytes }: Entry) => {
        this.held.set(key, modRevision);
        this.turns.at(-1)?.push(key);
        // About what it takes to read so many bytes.
        const end = performance.now() + bytes.length / 400_000;
        while (performance.now() < end);
      },
      remove: (key: string) => void this.held.delete(key),
    };
    this.following = followIntoIndex(index, {
      ...systemEnvironment,
      storage: {
        watch: (_options, subscriber) => {
          this.#subscriber = subscriber;
          return { close: () => undefined };
        },
      },
      ...{ collection: 'any/roles', signal: this.stopping.signal, warn: () => undefined },
    });
    const nextTurn = (): void => {
      this.turns.push([]);
      if (!this.stopping.signal.aborted) setImmediate(nextTurn);
    };
    setImmediate(nextTurn);
  }

  tell(...events: readonly StoredEvent[]): void {
    this.#subscriber?.onEvents(events);
  }

  get most(): number {
    return Math.max(...this.turns.map((keys) => keys.length));
  }
}

let followed: Followed;
beforeEach(() => (followed = new Followed()));
afterEach(() => followed.stopping.abort());

const lifetime = new AbortController().signal;
const entry = (key: string, modRevision: number, size: number): Entry => ({
  ...{ collection: 'any/roles', key, modRevision, bytes: Buffer.alloc(size), memo: undefined },
});
const put = (key: string, revision: number, size = 100): StoredEvent =>
  ({ type: 'put', key, revision, entry: entry(key, revision, size), previous: undefined }) as StoredEvent;
const removal = (key: string, revision: number): StoredEvent =>
  ({ type: 'delete', key, revision, entry: entry(key, revision, 0), previous: undefined }) as StoredEvent;
const names = Array.from({ length: 60 }, (_, i) => `role-${String(i)}`);

test('a few small changes take effect at once', () => {
  followed.tell(put('a', 1), put('b', 2), put('a', 3), removal('b', 4));
  expect([...followed.held]).toEqual([['a', 3]]);
});

test('large changes that come together take effect one or two in a turn, in their order', async () => {
  followed.tell(...names.map((name, i) => put(name, i + 1, large)));
  expect(followed.held.size).toBeLessThan(2);
  await followed.following.applied(lifetime);
  expect([...followed.held.keys()]).toEqual(names);
  expect(followed.most).toBeLessThan(4);
});

test('many changes below the limit of large ones are spread over turns as well', async () => {
  for (const [i, name] of names.entries()) followed.tell(put(name, i + 1, 60_000));
  await followed.following.applied(lifetime);
  expect([...followed.held.keys()]).toEqual(names);
  // 60 of them take 9 ms.
  expect(followed.most).toBeLessThan(45);
});

test('a change that waits is replaced by a newer one, and by a deletion at once', async () => {
  followed.tell(put('a', 1), ...names.map((name, i) => put(name, i + 2, large)));
  followed.tell(put('a', 90), put('role-40', 91, large), removal('role-41', 92), put('z', 93));
  await followed.following.applied(lifetime);
  expect(followed.held.get('a')).toBe(90);
  expect(followed.held.get('role-40')).toBe(91);
  expect(followed.held.has('role-41')).toBe(false);
  expect(followed.held.get('z')).toBe(93);
  expect(followed.turns.flat().filter((key) => key === 'role-40')).toHaveLength(1);
});

describe('an object that is read in slices', () => {
  const reading = new Map<number, PromiseWithResolvers<undefined>>();
  beforeEach(() => {
    reading.clear();
    followed.stopping.abort();
    followed = new Followed(async ({ key, modRevision }) => {
      const gate = Promise.withResolvers<undefined>();
      reading.set(modRevision, gate);
      await gate.promise;
      return () => void followed.held.set(key, modRevision);
    });
  });
  const untilRead = (revision: number): Promise<unknown> =>
    waitFor(`revision ${String(revision)} is read`, () => reading.has(revision));

  test('leaves what was until it is read', async () => {
    followed.tell(put('a', 1), put('a', 2, large));
    await untilRead(2);
    expect(followed.held.get('a')).toBe(1);
    reading.get(2)?.resolve(undefined);
    await followed.following.applied(lifetime);
    expect(followed.held.get('a')).toBe(2);
  });

  test.each([
    ['a newer change', () => put('a', 3), 3],
    ['its end', () => removal('a', 3), undefined],
  ])('does not come back behind %s', async (_, event, revision) => {
    followed.tell(put('a', 1, large));
    await untilRead(1);
    followed.tell(event());
    reading.get(1)?.resolve(undefined);
    await followed.following.applied(lifetime);
    await waitFor('the newer state', () => followed.held.get('a') === revision);
    followed.tell(put('b', 4));
    await followed.following.applied(lifetime);
    expect(followed.held.get('a')).toBe(revision);
  });

  test('grants nothing when it cannot be read', async () => {
    followed.tell(put('a', 1), put('a', 2, large));
    await untilRead(2);
    reading.get(2)?.reject(new Error('no JSON'));
    await followed.following.applied(lifetime);
    expect(followed.held.has('a')).toBe(false);
  });
});

test('who waits for changes waits no longer than its lifetime', async () => {
  followed.tell(...names.map((name, i) => put(name, i + 1, large)));
  await followed.following.applied(AbortSignal.abort());
  expect(followed.held.size).toBeLessThan(names.length);
});
