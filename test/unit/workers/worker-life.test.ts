/** What a worker tells its supervisor. */
import { systemClock } from '../../../src/base/clock.ts';
import type { FromWorker } from '../../../src/workers/worker-messages.ts';
import { WorkerLife } from '../../../src/workers/worker.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('it gives signs of life from its hello on, while it loads and while it stops; none is sent before the last has left', async () => {
  const due: (() => void)[] = [];
  jest.spyOn(systemClock, 'setTimeout').mockImplementation((callback) => {
    due.push(callback);
    return { unref: () => undefined };
  });
  /** The time between two signs is over; tells whether one was due. */
  const nextSign = async (): Promise<boolean> => {
    const callback = due.shift();
    callback?.();
    await settled();
    return callback !== undefined;
  };
  const kinds: FromWorker['kind'][] = [];
  const never = (): Promise<never> => new Promise(() => undefined);
  let sent = Promise.resolve<unknown>(undefined);
  const life = new WorkerLife('serve', { serve: never, controllers: never }, (message) => {
    kinds.push(message.kind);
    return sent.then(() => undefined);
  });
  void life.run();
  await settled();
  expect(await nextSign()).toBe(true);
  expect(kinds).toEqual(['hello', 'alive', 'alive']);
  life.stop();
  expect(await nextSign()).toBe(true);
  expect(kinds).toHaveLength(4);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  sent = promise;
  expect(await nextSign()).toBe(true);
  expect(kinds).toHaveLength(5);
  expect(await nextSign()).toBe(false);
  resolve(undefined);
  await settled();
  expect(await nextSign()).toBe(true);
  expect(kinds).toHaveLength(6);
});
