/** Frames of many watches that cannot be written at once: a few in a turn, and none is copied for a watch. */
import { laterTurn } from '../../../src/base/cooperate.ts';
import { FrameQueue, type FrameQueueParts } from '../../../src/http/watch/frame-queue.ts';
import { JoinedFrames } from '../../../src/http/watch/joined-frames.ts';
import { messageFrame } from '../../../src/http/websocket.ts';
import { countedTurns } from '../../support/counted-turns.ts';
import { HandClock } from '../../support/hand-clock.ts';

const turns = countedTurns();
/** Milliseconds that a write takes here. */
const writeMs = 0.5;
const watches = 400;

function queueThat(write: (bytes: Buffer) => void, parts: Partial<FrameQueueParts> = {}): FrameQueue {
  return new FrameQueue({
    ...{ clock: new HandClock(), maxWaitMs: 1_000, onFailed: () => undefined },
    ...{ write, sent: (frame) => messageFrame(frame, false), drained: () => Promise.resolve() },
    ...{ mostBytes: 1_000_000_000, ...parts },
  });
}

test.each([
  ['small', 1_000],
  ['large', 100_000],
])('%s frames that come at once go out a few in a turn', async (_size, length) => {
  const made = Promise.withResolvers<Buffer>();
  const frame = Buffer.alloc(length, 'a');
  let bytes = 0;
  const queues = Array.from({ length: watches }, () => {
    const queue = queueThat((piece) => {
      turns.step(writeMs);
      bytes += piece.length;
    });
    queue.add({ making: made.promise, object: frame, bytes: length, onWritten: () => undefined });
    queue.add({ making: Buffer.from('behind it'), object: {}, bytes: 9, onWritten: () => undefined });
    return queue;
  });
  made.resolve(frame);
  await Promise.all(queues.map((queue) => queue.emptied()));
  expect(bytes).toBeGreaterThan(watches * length);
  // 3 ms, and one more.
  expect(turns.most()).toBeLessThanOrEqual(3 / writeMs + 2);
});

test('a long frame is not copied for a WebSocket', async () => {
  const frame = Buffer.alloc(1_500_000, 'a');
  const written: Buffer[] = [];
  const queue = queueThat((piece) => written.push(piece));
  queue.add({ making: frame, object: frame, bytes: frame.length, onWritten: () => undefined });
  await queue.emptied();
  const copied = written.filter(({ buffer }) => buffer !== frame.buffer);
  expect(copied.map(({ length }) => length)).toEqual([10]);
  expect(Buffer.concat(written).equals(Buffer.concat(messageFrame(frame, false)))).toBe(true);
});

test('messages of the same frames are made once in a turn', () => {
  const joined = new JoinedFrames((frame) => messageFrame(frame, true));
  const one = Buffer.alloc(200, 'a');
  const other = Buffer.alloc(300, 'b');
  const message = joined.join([one]);
  expect(joined.join([one])).toBe(message);
  expect(message.equals(Buffer.concat(messageFrame(one, true)))).toBe(true);
  expect(joined.join([one, other])).toEqual(
    Buffer.concat([one, other].flatMap((frame) => messageFrame(frame, true))),
  );
});

const never = new Promise<void>(() => undefined);

/** Queues whose clients read nothing, in their order; those that fail are noted. */
function unread(count: number, frameOf: (i: number) => Buffer, failed: number[]): FrameQueue[] {
  return Array.from({ length: count }, (_none, i) => {
    const parts = { drained: () => never, mostBytes: 5_000_000, onFailed: () => void failed.push(i) };
    const queue = queueThat(() => undefined, parts);
    const object = frameOf(i);
    // Each watch has a promise of its own of what another thread makes.
    const making = i % 2 === 0 ? object : Promise.resolve(object);
    queue.add({ making, object, bytes: object.length, onWritten: () => undefined });
    return queue;
  });
}

test('frames that wait are bounded for all watches: those that have waited longest end', () => {
  const failed: number[] = [];
  const queues = unread(12, () => Buffer.alloc(1_000_000), failed);
  expect(failed).toEqual([0, 1, 2, 3, 4, 5, 6]);
  for (const queue of queues) queue.close();
  // What they held is free.
  for (const queue of unread(5, () => Buffer.alloc(1_000_000), failed)) queue.close();
  expect(failed).toHaveLength(7);
});

test('a frame that many watches wait for counts once', () => {
  const failed: number[] = [];
  const frame = Buffer.alloc(4_000_000);
  const queues = unread(1_000, () => frame, failed);
  queues.slice(1).forEach((queue) => queue.close());
  const others = unread(1, () => Buffer.alloc(1_000_001), failed);
  expect(failed).toEqual([0]);
  for (const queue of [...queues, ...others]) queue.close();
});

test('frames behind one that is partly written are let go of at the end', async () => {
  const failed: number[] = [];
  const [queue] = unread(1, () => Buffer.alloc(1_000_000), failed);
  queue?.add({ making: Buffer.alloc(3_900_000), object: {}, bytes: 3_900_000, onWritten: () => undefined });
  for (let turn = 0; turn < 5; turn += 1) await laterTurn();
  queue?.end();
  const others = unread(4, () => Buffer.alloc(1_000_000), failed);
  expect([queue?.length, queue?.bytes, failed]).toEqual([1, 1_000_000, []]);
  for (const one of [...others, queue]) one?.close();
});
