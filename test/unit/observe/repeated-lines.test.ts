/** Lines that requests cause do not flood the log: the first ones are there at once, the others are counted. */
import { placeOf, RepeatedLines } from '../../../src/observe/repeated-lines.ts';
import type { LogFields } from '../../../src/observe/log.ts';
import { HandClock } from '../../support/hand-clock.ts';

let clock: HandClock;
let written: (readonly [string, string, LogFields])[];
let lines: RepeatedLines;

beforeEach(() => {
  clock = new HandClock();
  written = [];
  const noting =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      written.push([level, message, fields]);
    };
  const logger = { warn: noting('warn'), error: noting('error') };
  lines = new RepeatedLines({ clock, logger, keyOf: ({ hook }) => String(hook) });
});
afterEach(() => {
  lines.close();
});

function fail(times: number, hook = 'a'): void {
  for (let i = 1; i <= times; i += 1) lines.warn('failed', { hook, i });
}

test('a few are written as they are, and nothing is added later', () => {
  fail(3);
  clock.advance(60_000);
  expect(written).toEqual([1, 2, 3].map((i) => ['warn', 'failed', { hook: 'a', i }]));
  expect(clock.timers).toBe(0);
});

test('of many the first are written at once, and the last with the count of those between', () => {
  fail(1_000);
  expect(written).toHaveLength(3);
  clock.advance(10_000);
  expect(written.slice(3)).toEqual([['warn', 'failed', { hook: 'a', i: 1_000, suppressed: 997 }]]);
});

test('what goes on has one line each ten seconds, and what was quiet begins anew', () => {
  fail(4);
  for (let i = 0; i < 3; i += 1) {
    clock.advance(10_000);
    fail(5);
  }
  expect(written.map(([, , { suppressed }]) => suppressed)).toEqual([
    ...[undefined, undefined, undefined],
    ...[1, 5, 5],
  ]);
  clock.advance(20_000);
  written.length = 0;
  fail(1);
  expect(written).toEqual([['warn', 'failed', { hook: 'a', i: 1 }]]);
});

test('each message and key has its own first lines; keys without end share theirs', () => {
  fail(10, 'a');
  fail(10, 'b');
  lines.error('broke', { hook: 'a' });
  expect(written).toHaveLength(7);
  expect(written[6]).toEqual(['error', 'broke', { hook: 'a' }]);
  for (let i = 0; i < 10_000; i += 1) lines.warn('failed', { hook: `x${String(i)}` });
  expect(written.length).toBeLessThan(300);
  clock.advance(10_000);
  const counts = written.map(([, , { suppressed }]) => Number(suppressed ?? 1));
  expect(counts.reduce((sum, count) => sum + count)).toBe(10_021);
});

test('what is held back is written at the end', () => {
  fail(5);
  lines.close();
  expect(written.slice(3)).toEqual([['warn', 'failed', { hook: 'a', i: 5, suppressed: 2 }]]);
  expect(clock.timers).toBe(0);
});

test('errors are the same by the place that throws them, whatever they say', () => {
  const made = (text: string): Error => new Error(text);
  expect(placeOf(made('one'))).toBe(placeOf(made('two\n'.repeat(100_000))));
  expect(placeOf(made('one'))).not.toBe(placeOf(new Error('one')));
  expect(placeOf(made('one'))).toContain('repeated-lines.test');
  expect(placeOf('text')).toBe('');
});
