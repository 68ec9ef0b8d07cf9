/** What a watch leaves behind in its life, by count. */
import { getEventListeners } from 'node:events';
import { systemClock } from '../../../../src/base/clock.ts';
import { Subscription } from '../../../../src/storage/watch/subscription.ts';

const nothing = (): void => undefined;
const logger = { info: nothing, warn: nothing, error: nothing, debug: nothing };
const told = {
  ...{ onEstablished: nothing, onInitial: nothing, onEvents: nothing, onProgress: nothing, onEnd: nothing },
  ready: () => Promise.resolve(),
};

test('a watch that is often asked whether it is ready holds no listener of that', async () => {
  const request = new AbortController();
  const options = {
    ...{ collection: 'core/pods', prefix: '', signal: request.signal },
    start: { kind: 'after', revision: 1 },
  } as const;
  const subscription = new Subscription(options, told, { clock: systemClock, logger, onOver: nothing });
  for (let slice = 0; slice < 50; slice += 1) {
    await subscription.ready();
    await subscription.readyWithin(1_000);
  }
  expect(getEventListeners(subscription.signal, 'abort')).toHaveLength(0);
  const waiting = new Subscription(
    options,
    { ...told, ready: () => new Promise(nothing) },
    { clock: systemClock, logger, onOver: nothing },
  );
  const over = waiting.ready();
  request.abort();
  await over;
  expect(getEventListeners(request.signal, 'abort')).toHaveLength(0);
});
