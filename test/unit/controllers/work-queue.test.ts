import { systemClock } from '../../../src/base/clock.ts';
import { WorkQueue } from '../../../src/controllers/work-queue.ts';
import { createControllerMetrics } from '../../../src/observe/controller-metrics.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { controllerMetrics } from '../../../src/server/controllers/start-controllers.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { leastShare } from '../../support/cpu-time.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const quiet = { info: (): void => undefined, warn: (): void => undefined, error: (): void => undefined };

interface Running {
  readonly queue: WorkQueue<string>;
  readonly stop: () => Promise<void>;
}

function start(
  handle: (key: string, signal: AbortSignal) => Promise<number | undefined>,
  workers = 4,
  metrics = noControllerMetrics,
): Running {
  const queue = new WorkQueue<string>({
    clock: systemClock,
    name: 'test',
    handle,
    workers,
    log: quiet,
    metrics,
  });
  const stopping = new AbortController();
  const done = queue.run(stopping.signal);
  return {
    queue,
    stop: () => {
      stopping.abort();
      return within('the queue to stop', 2_000, done);
    },
  };
}

test('every worker stops, also those that never had work', async () => {
  await start(() => Promise.resolve(undefined), 8).stop();
});

test('a key is worked on by one worker at a time, and once more when it is added meanwhile', async () => {
  const gate = Promise.withResolvers<undefined>();
  let calls = 0;
  let most = 0;
  let now = 0;
  const { queue, stop } = start(async () => {
    calls += 1;
    now += 1;
    most = Math.max(most, now);
    await gate.promise;
    now -= 1;
    return undefined;
  });
  queue.add('a');
  await waitFor('the first call', () => calls === 1);
  for (let i = 0; i < 5; i++) queue.add('a');
  gate.resolve(undefined);
  await waitFor('the second call', () => calls === 2);
  await stop();
  expect({ calls, most }).toEqual({ calls: 2, most: 1 });
});

test('a failure is tried again', async () => {
  let calls = 0;
  const { queue, stop } = start(() => {
    calls += 1;
    return calls < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve(undefined);
  });
  queue.add('a');
  await waitFor('the third call', () => calls === 3);
  await stop();
});

test('a handler can ask to look again', async () => {
  let calls = 0;
  const { queue, stop } = start(() => {
    calls += 1;
    return Promise.resolve(calls < 3 ? 1 : undefined);
  });
  queue.add('a');
  await waitFor('the third call', () => calls === 3);
  await stop();
});

test('the metrics show what waits, what is worked on and for how long', async () => {
  const registry = new Metrics();
  const gate = Promise.withResolvers<undefined>();
  const metrics = controllerMetrics(createControllerMetrics(registry), systemClock);
  let done = 0;
  const handle = async (): Promise<undefined> => {
    await gate.promise;
    done += 1;
  };
  const { queue, stop } = start(handle, 1, metrics);
  const figure = async (name: string): Promise<number> => {
    const found = new RegExp(`^workqueue_${name}\\{name="test"\\} (\\S+)$`, 'm').exec(await registry.text());
    return Number(found?.[1]);
  };
  for (const key of ['a', 'b', 'a', 'b']) queue.add(key);
  await waitFor('work in progress', async () => (await figure('unfinished_work_seconds')) > 0);
  queue.add('a');
  queue.add('a');
  expect([await figure('adds_total'), await figure('depth')]).toEqual([3, 2]);
  expect(await figure('longest_running_processor_seconds')).toBeGreaterThan(0);
  gate.resolve(undefined);
  await waitFor('the work', () => done === 3);
  await stop();
  expect([await figure('depth'), await figure('unfinished_work_seconds')]).toEqual([0, 0]);
  expect(await figure('longest_running_processor_seconds')).toBe(0);
  expect(await figure('queue_duration_seconds_count')).toBe(3);
  expect(await figure('work_duration_seconds_count')).toBe(3);
});

test('a hundred thousand keys that wait are worked on in time for each', async () => {
  const keys = Array.from({ length: 100_000 }, (_none, i) => `namespace/${i}`);
  const share = await leastShare(700, async () => {
    const seen: string[] = [];
    const all = Promise.withResolvers<undefined>();
    const { queue, stop } = start((key) => {
      if (seen.push(key) === keys.length) all.resolve(undefined);
      return Promise.resolve(undefined);
    });
    for (const key of keys) queue.add(key);
    await all.promise;
    await stop();
    expect([seen.length, seen[0], seen.at(-1)]).toEqual([keys.length, keys[0], keys.at(-1)]);
  });
  expect(share).toBeLessThan(1);
});
