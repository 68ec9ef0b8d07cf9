/** What came for a stream while it was paused is handed over in slices. */
import { useEventLoop } from '../../../../src/base/event-loop.ts';
import { Http2Stream } from '../../../../src/storage/etcd/http2/stream.ts';
import type { StreamListener } from '../../../../src/storage/etcd/transport.ts';

afterEach(() => {
  useEventLoop(undefined);
});

/** Turns are run by hand; to take a piece takes a millisecond. */
function lab(): {
  readonly stream: Http2Stream;
  readonly taken: number[];
  readonly granted: number[];
  readonly arrive: (piece: number) => void;
  /** Gives the number of pieces taken in the turn; undefined if there is nothing to do. */
  readonly turn: () => number | undefined;
  whenTaken: (piece: number) => void;
} {
  let now = 0;
  const due: (() => void)[] = [];
  useEventLoop({ now: () => now, nextTurn: (callback) => due.push(callback) });
  const taken: number[] = [];
  const granted: number[] = [];
  const listener: StreamListener = {
    onHeaders: () => undefined,
    onEnd: () => undefined,
    onData: (bytes) => {
      now += 1;
      taken.push(bytes.readUInt32BE());
      made.whenTaken(taken.at(-1) ?? 0);
    },
  };
  const request = { head: { path: '/', changing: [] }, body: Buffer.alloc(0), isWhole: true, isUrgent: true };
  const stream = new Http2Stream(request as never, listener, {
    window: 4_000,
    grantAt: 400,
    grant: (_stream, bytes) => granted.push(bytes),
    reset: () => undefined,
  });
  const made = {
    ...{ stream, taken, granted },
    arrive: (piece: number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(piece);
      stream.assertRoom(4);
      stream.arrive((to) => {
        to.onData(bytes);
      });
      stream.take(4);
    },
    turn: () => {
      const before = taken.length;
      const work = due.splice(0);
      for (const one of work) one();
      return work.length === 0 ? undefined : taken.length - before;
    },
    whenTaken: (_piece: number): void => undefined,
  };
  return made;
}

test('no turn takes more than a slice of it, in order, and the other side may send more once all of it is taken', () => {
  const { stream, taken, granted, arrive, turn } = lab();
  stream.pause();
  for (let piece = 0; piece < 200; piece += 1) arrive(piece);
  stream.resume();
  expect(taken.length).toBeLessThan(10);
  // Comes behind what is held.
  for (let piece = 200; piece < 300; piece += 1) arrive(piece);
  expect(granted).toEqual([]);
  for (let done = turn(); done !== undefined; done = turn()) expect(done).toBeLessThan(10);
  expect(taken).toEqual(Array.from({ length: 300 }, (_none, i) => i));
  expect(granted).toEqual([1_200]);
  arrive(300);
  expect(taken.at(-1)).toBe(300);
});

test('whoever pauses or cancels meanwhile gets nothing more', () => {
  const made = lab();
  const { stream, taken, arrive, turn } = made;
  made.whenTaken = (piece) => {
    if (piece === 20) stream.pause();
    if (piece === 40) stream.cancel();
  };
  stream.pause();
  for (let piece = 0; piece < 100; piece += 1) arrive(piece);
  stream.resume();
  for (let done = turn(); done !== undefined; done = turn());
  expect(taken.at(-1)).toBe(20);
  stream.resume();
  stream.resume();
  for (let done = turn(); done !== undefined; done = turn()) expect(done).toBeLessThan(10);
  expect(taken).toEqual(Array.from({ length: 41 }, (_none, i) => i));
});
