/** What a worker tells its supervisor. */
import type { FromWorker } from '../../../src/workers/worker-messages.ts';
import { WorkerLife } from '../../../src/workers/worker.ts';
import { waitFor } from '../../support/wait-for.ts';

test('it gives signs of life from its hello on, while it loads and while it stops; none is sent before the last has left', async () => {
  const kinds: FromWorker['kind'][] = [];
  const never = (): Promise<never> => new Promise(() => undefined);
  let sent = Promise.resolve<unknown>(undefined);
  const life = new WorkerLife('serve', { serve: never, controllers: never }, (message) => {
    kinds.push(message.kind);
    return sent.then(() => undefined);
  });
  void life.run();
  await waitFor('two signs of life', () => kinds.length === 3);
  expect(kinds).toEqual(['hello', 'alive', 'alive']);
  life.stop();
  await waitFor('another one', () => kinds.length === 4);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  sent = promise;
  await waitFor('the one that does not leave', () => kinds.length === 5);
  await expect(waitFor('none behind it', () => kinds.length > 5, { timeout: 2_500 })).rejects.toThrow();
  resolve(undefined);
  await waitFor('the next one', () => kinds.length === 6);
});
