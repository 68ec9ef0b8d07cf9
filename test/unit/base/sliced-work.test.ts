import { atOnce, inSlices, SlicedWork } from '../../../src/base/sliced-work.ts';
import { useEventLoop } from '../../../src/base/event-loop.ts';

/** A thread whose time goes on by a millisecond with each look at it. */
function slowThread(): { turns: number } {
  const thread = { turns: 0 };
  let time = 0;
  useEventLoop({
    now: () => (time += 1),
    nextTurn: (callback) => {
      thread.turns += 1;
      setImmediate(callback);
    },
  });
  return thread;
}

function* noted(name: string, count: number, notes: string[]): Generator<void, number, void> {
  for (let i = 0; i < count; i += 1) {
    notes.push(name);
    yield;
  }
  return count;
}

afterEach(() => {
  useEventLoop(undefined);
});

test('what is short is done at once', () => {
  const thread = slowThread();
  const notes: string[] = [];
  expect(inSlices(noted('a', 200, notes))).toBeUndefined();
  expect([notes.length, thread.turns]).toEqual([200, 0]);
});

test('what is long takes turns', async () => {
  const thread = slowThread();
  const notes: string[] = [];
  const work = inSlices(noted('a', 20_000, notes));
  expect(notes.length).toBeLessThan(5_000);
  await work;
  expect(notes).toHaveLength(20_000);
  expect(thread.turns).toBeGreaterThan(5);
});

test('pieces do not mix, those that begin within another one neither', async () => {
  slowThread();
  const work = new SlicedWork();
  const notes: string[] = [];
  const all: unknown[] = [];
  function* first(): Generator<void, void, void> {
    all.push(work.run(() => noted('inner', 10, notes)));
    yield* noted('first', 10_000, notes);
  }
  all.push(
    work.run(first),
    work.run(() => noted('last', 10_000, notes)),
  );
  await Promise.all(all);
  expect(notes.filter((name, i) => name !== notes[i - 1])).toEqual(['first', 'inner', 'last']);
  expect(work.run(() => noted('later', 10, notes))).toBeUndefined();
});

test('work that fails does not stop others', async () => {
  const work = new SlicedWork();
  const failing = (count: number) =>
    function* (): Generator<void, void, void> {
      yield* noted('bad', count, []);
      throw new Error('bad');
    };
  slowThread();
  expect(() => work.run(failing(1))).toThrow('bad');
  const long = work.run(failing(10_000));
  const notes: string[] = [];
  const next = work.run(() => noted('good', 5, notes));
  await expect(long).rejects.toThrow('bad');
  await next;
  expect(notes).toHaveLength(5);
});

test('all at once gives what the steps return', () => {
  expect(atOnce(noted('a', 3, []))).toBe(3);
});
