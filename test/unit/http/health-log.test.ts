/** What the log says of health checks that are asked for again and again. */
import { HealthLog } from '../../../src/http/plain/health-log.ts';
import type { HealthResult } from '../../../src/observe/health-checks.ts';
import { HandClock } from '../../support/hand-clock.ts';

let clock: HandClock;
let lines: string[];
let log: HealthLog;

beforeEach(() => {
  clock = new HandClock();
  lines = [];
  log = new HealthLog({
    clock,
    logger: {
      info: (message, fields) => lines.push(`${message}: ${String(fields?.['check'])}`),
      warn: (message, fields) => lines.push(`${message}: ${String(fields?.['check'])}`),
    },
  });
});

const [begins, ends] = ['a health check fails: etcd', 'a health check passes again: etcd'];

/** Asked every 100 ms for so many seconds. */
function ask(outcome: HealthResult['outcome'], seconds: number): void {
  for (let times = 0; times < seconds * 10; times += 1) {
    log.note('readyz', [{ name: 'etcd', outcome, problem: outcome, isPublic: false }]);
    clock.advance(100);
  }
}

test('a start has no line', () => {
  ask('failed', 40);
  ask('ok', 100);
  expect(lines).toEqual([]);
});

test('a start that lasts has one, and one when it is over', () => {
  ask('failed', 300);
  expect(lines).toEqual([begins]);
  ask('ok', 300);
  expect(lines).toEqual([begins, ends]);
});

test('a check has a line when it begins to fail and one when it passes again', () => {
  ask('ok', 1);
  ask('failed', 300);
  expect(lines).toEqual([begins]);
  ask('excluded', 20);
  expect(lines).toEqual([begins]);
  ask('ok', 300);
  ask('failed', 1);
  expect(lines).toEqual([begins, ends, begins]);
});

test('one that comes and goes has a line in ten seconds at most, and the last one is true', () => {
  ask('ok', 1);
  for (let times = 0; times < 100; times += 1) {
    ask('failed', 1);
    ask('ok', 1);
  }
  expect(lines.length).toBeLessThanOrEqual(21);
  ask('ok', 20);
  expect(lines.at(-1)).toBe(ends);
});
