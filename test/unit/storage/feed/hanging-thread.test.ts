/** Threads that are fed: one that hangs is given up, also while there is nothing to feed it with. */
import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { FeedSender, type FeedDependencies } from '../../../../src/storage/feed/feed-sender.ts';
import { recordingLogger } from '../../../support/storage.ts';
import { within } from '../../../support/wait-for.ts';

const program = join(import.meta.dirname, '../../../support/fed-thread.mjs');

test('a thread that takes pings is kept; one that hangs is given up, and can be ended', async () => {
  const { port1: port, port2 } = new MessageChannel();
  const thread = new Worker(program, { workerData: { port: port2 }, transferList: [port2] });
  const ended = once(thread, 'exit');
  try {
    await within('the thread', 30_000, once(thread, 'message'));
    const logged: string[] = [];
    const follower = {
      ...{ state: 'following', trouble: '', denial: '', awayMs: 0, loading: undefined },
      counters: { loads: 1, connects: 1 },
    };
    const view = { loadedAt: 0 };
    const deps = { view, follower, logger: recordingLogger(logged) } as unknown as FeedDependencies;
    const sender = new FeedSender(deps, port);
    for (let tick = 0; tick < 200; tick += 1) {
      const taken = once(port, 'message');
      sender.tick();
      await within('a ping to be taken', 10_000, taken);
    }
    const hangs = once(thread, 'message');
    thread.postMessage('hang');
    await within('the thread to hang', 10_000, hangs);
    const closed = once(port, 'close');
    for (let tick = 0; tick < 60; tick += 1) sender.tick();
    expect(logged).toEqual([]);
    sender.tick();
    await within('the end of the feed', 10_000, closed);
    expect(logged).toEqual([expect.stringContaining('a thread does not take what it is fed with')]);
  } finally {
    await thread.terminate();
  }
  await within('the end of the thread', 10_000, ended);
});
