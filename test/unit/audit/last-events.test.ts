/** The end of a sink: a slow one gets what waits, one that takes nothing is given up. */
import { BlockingBackend } from '../../../src/audit/blocking-backend.ts';
import { BufferedBackend } from '../../../src/audit/buffered-backend.ts';
import type { AuditWriter } from '../../../src/audit/audit-writer.ts';
import type { AuditBackend } from '../../../src/audit/types.ts';
import { HandClock } from '../../support/hand-clock.ts';

const batch = { bufferSize: 100, maxSize: 1, maxBytes: 1_000, maxWaitMs: 0, throttle: undefined };

/** Takes one event after another, each in this time; with Infinity none. */
class SlowWriter implements AuditWriter {
  readonly taken: string[] = [];
  private readonly clock: HandClock;
  private readonly eachMs: number;

  constructor(clock: HandClock, eachMs: number) {
    this.clock = clock;
    this.eachMs = eachMs;
  }

  write(lines: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      if (this.eachMs === Infinity) return;
      this.clock.setTimeout(() => {
        this.taken.push(...lines);
        resolve();
      }, this.eachMs);
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Whatever has no timer before it is through. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Closes and gives the seconds that took; more than a minute at most. */
async function secondsToClose(clock: HandClock, sink: AuditBackend): Promise<number> {
  const state = { isClosed: false };
  void sink.close().then(() => (state.isClosed = true));
  for (let second = 0; second <= 60; second += 1) {
    await settled();
    if (state.isClosed) return second;
    clock.advance(1_000);
    await settled();
  }
  return Infinity;
}

function sinkOf(mode: 'batch' | 'blocking', clock: HandClock, writer: AuditWriter): AuditBackend {
  const parts = { clock, writer, lost: () => undefined };
  return mode === 'batch' ? new BufferedBackend('log', batch, parts) : new BlockingBackend('log', parts);
}

test.each(['batch', 'blocking'] as const)(
  '%s: a sink that takes nothing is given up after ten seconds',
  async (mode) => {
    const clock = new HandClock();
    const sink = sinkOf(mode, clock, new SlowWriter(clock, Infinity));
    void Promise.resolve(sink.take('a')).catch(() => undefined);
    await settled();
    const seconds = await secondsToClose(clock, sink);
    expect(seconds).toBeGreaterThanOrEqual(10);
    expect(seconds).toBeLessThanOrEqual(12);
  },
);

test('a slow sink gets what waits', async () => {
  const clock = new HandClock();
  const writer = new SlowWriter(clock, 8_000);
  const sink = sinkOf('batch', clock, writer);
  for (const line of ['a', 'b', 'c']) void sink.take(line);
  await settled();
  expect(await secondsToClose(clock, sink)).toBeLessThanOrEqual(26);
  expect(writer.taken).toEqual(['a', 'b', 'c']);
});

test('a slow sink with very much to take is given up after half a minute', async () => {
  const clock = new HandClock();
  const writer = new SlowWriter(clock, 4_000);
  const sink = sinkOf('batch', clock, writer);
  for (let i = 0; i < 50; i += 1) void sink.take(String(i));
  await settled();
  const seconds = await secondsToClose(clock, sink);
  expect(seconds).toBeGreaterThanOrEqual(30);
  expect(seconds).toBeLessThanOrEqual(32);
});
