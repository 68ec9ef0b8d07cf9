import { longestTimerMs, systemClock } from '../../../src/base/clock.ts';

test.each(['setTimeout', 'setInterval'] as const)(
  'a %s that is to wait for longer than timers can does not call back at once',
  async (kind) => {
    let calls = 0;
    const timer = systemClock[kind](() => (calls += 1), longestTimerMs + 1);
    await new Promise<void>((resolve) => void systemClock.setTimeout(resolve, 20));
    systemClock.clear(timer);
    expect(calls).toBe(0);
  },
);
