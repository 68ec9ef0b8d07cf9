/** What a storage tells one in another thread that no longer takes anything. */
import { EventEmitter } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { FeedSender, type FeedDependencies } from '../../../../src/storage/feed/feed-sender.ts';
import type { ToFed } from '../../../../src/storage/feed/feed-messages.ts';

class Port extends EventEmitter {
  readonly posted: ToFed[] = [];
  postMessage(message: ToFed): void {
    this.posted.push(message);
  }
  unref(): void {
    // A real one keeps no process.
  }
  close(): void {
    // The event comes later.
  }
}

/** A view without objects: all of its state is on its way at once. */
function parts(errors: string[]): FeedDependencies {
  const view = {
    loadedAt: 1,
    past: { name: 'one', epoch: 1 },
    compactedAt: 0,
    pinned: () => ({ revision: 7, loadedAt: 1, collections: new Map() }),
    trustedFrom: () => 0,
  };
  const logger = { error: (_fields: object, message: string) => errors.push(message) };
  return {
    ...{ view, logger, client: { cluster: 'a' }, itemHead: () => undefined },
    follower: { state: 'following', trouble: '', denial: '', awayMs: 0, counters: { connects: 1 } },
  } as unknown as FeedDependencies;
}

test('who has closed sends no state any more, and is given up once', () => {
  const [port, errors]: [Port, string[]] = [new Port(), []];
  const sender = new FeedSender(parts(errors), port as unknown as MessagePort);
  expect(port.posted.map(({ kind }) => kind)).toEqual(['status', 'begin', 'end']);
  for (let ticks = 0; ticks < 70; ticks += 1) sender.tick();
  expect(errors).toHaveLength(1);
  // History ended before the end of the port was heard of.
  sender.sendState();
  expect(port.posted).toHaveLength(3);
});

test('a state that is on its way ends with the port', () => {
  const port = new Port();
  const sender = new FeedSender(parts([]), port as unknown as MessagePort);
  sender.close();
  sender.sendState();
  sender.sendEvents([]);
  expect(port.posted).toHaveLength(3);
});
