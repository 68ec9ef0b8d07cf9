/** Frames of many watches that cannot be written at once: a few in a turn, and none is copied for a watch. */
import { FrameQueue } from '../../../src/http/watch/frame-queue.ts';
import { JoinedFrames } from '../../../src/http/watch/joined-frames.ts';
import { messageFrame } from '../../../src/http/websocket.ts';
import { countedTurns } from '../../support/counted-turns.ts';
import { HandClock } from '../../support/hand-clock.ts';

const turns = countedTurns();
/** Milliseconds that a write takes here. */
const writeMs = 0.5;
const watches = 400;

function queueThat(write: (bytes: Buffer) => void): FrameQueue {
  return new FrameQueue({
    ...{ clock: new HandClock(), maxWaitMs: 1_000, onFailed: () => undefined },
    ...{ write, sent: (frame) => messageFrame(frame, false), drained: () => Promise.resolve() },
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
    queue.add({ making: made.promise, bytes: length, onWritten: () => undefined });
    queue.add({ making: Buffer.from('behind it'), bytes: 9, onWritten: () => undefined });
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
  queue.add({ making: frame, bytes: frame.length, onWritten: () => undefined });
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
