/** Audit in the blocking modes: how long a request waits for its event. */
import { BlockingBackend } from '../../../src/audit/blocking-backend.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { HeldWriter } from '../../support/held-writer.ts';

/** Whatever has no timer before it is through. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('blocking: the request waits and gets the error', async () => {
  const writer = new HeldWriter();
  const lost: number[] = [];
  const sink = new BlockingBackend('log', {
    clock: systemClock,
    writer,
    lost: (events) => lost.push(events),
  });
  const [first, second] = [sink.take('a'), sink.take('b')];
  const refused = expect(first).rejects.toThrow('no space');
  await writer.next('failed');
  await refused;
  expect(lost).toEqual([1]);
  await writer.next();
  await second;
  expect(writer.batches).toEqual([['a'], ['b']]);
  await sink.close();
});

test('blocking: a sink that hangs holds each request for half a minute, however many wait', async () => {
  const clock = new HandClock();
  const writer = new HeldWriter();
  const lost: number[] = [];
  const sink = new BlockingBackend('webhook', { clock, writer, lost: (events) => lost.push(events) });
  const taken = ['a', 'b', 'c'].map((line) => sink.take(line));
  const refused = Promise.all(taken.map((one) => expect(one).rejects.toThrow('in time')));
  clock.advance(30_000);
  await refused;
  expect(lost).toEqual([1, 1, 1]);
});

test('blocking: a sink that took nothing for half a minute holds no further request, until it takes an event', async () => {
  const clock = new HandClock();
  const writer = new HeldWriter();
  const lost: number[] = [];
  const sink = new BlockingBackend('log', { clock, writer, lost: (events) => lost.push(events) });
  const hung = expect(sink.take('a')).rejects.toThrow('in time');
  clock.advance(30_000);
  await hung;
  const tries = sink.take('b');
  for (let i = 0; i < 100; i += 1) await expect(sink.take('c')).rejects.toThrow('takes no events');
  expect(lost).toHaveLength(101);
  // The request of the one that tries it goes on soon; its event may still be written.
  const goesOn = expect(tries).rejects.toThrow('in time');
  clock.advance(1_000);
  await goesOn;
  expect(lost).toHaveLength(101);
  await writer.next();
  await writer.next();
  await settled();
  const taken = sink.take('d');
  clock.advance(5_000);
  await writer.next();
  await taken;
  expect(writer.batches).toEqual([['a'], ['b'], ['d']]);
  expect(lost).toHaveLength(101);
});

test('blocking: one that does not take what tries it is tried again, by the next event', async () => {
  const clock = new HandClock();
  const writer = new HeldWriter();
  const lost: number[] = [];
  const sink = new BlockingBackend('log', { clock, writer, lost: (events) => lost.push(events) });
  for (const line of ['a', 'b', 'c']) {
    const held = expect(sink.take(line)).rejects.toThrow('in time');
    clock.advance(30_000);
    await held;
    await settled();
  }
  expect([writer.batches.length, lost.length]).toEqual([3, 3]);
});

test('blocking: events that wait have a bound in bytes; what a sink still holds counts', async () => {
  const clock = new HandClock();
  const sink = new BlockingBackend('webhook', { clock, writer: new HeldWriter(), lost: () => undefined });
  const line = 'x'.repeat(16 * 1024 * 1024);
  const taken = Array.from({ length: 4 }, () => sink.take(line));
  const refused = Promise.all(taken.map((one) => expect(one).rejects.toThrow('in time')));
  await expect(sink.take(line)).rejects.toThrow('too many events wait');
  clock.advance(30_000);
  await refused;
  await expect(sink.take(line)).rejects.toThrow('too many events wait');
});
