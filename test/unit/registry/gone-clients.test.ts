/** Clients that go while a large collection is read for them: nothing more of it is looked at. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import { listObjects } from '../../../src/registry/read/get-list.ts';
import type { ListOptions, RequestScope, WatchQuery, WatchSink } from '../../../src/registry/types.ts';
import { watchObjects } from '../../../src/registry/watch/watch-objects.ts';
import type { CollectionSnapshot, Entry, Storage } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';

const count = 4_000;
const options = {
  ...{ name: '', resourceVersion: '', resourceVersionMatch: '', fieldSelector: '' },
  ...{
    labelSelector: 'app=none',
    continue: '',
    limit: 0,
    sendInitialEvents: undefined,
    allowsBookmarks: false,
  },
} as unknown as WatchQuery & ListOptions;

/** A collection that counts what is looked at. */
class Counted {
  seen = 0;
  private readonly entry = entryOf(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'x' } },
    'x/m',
    1,
  );
  /** Called once a part has been looked at. */
  onPart: () => void = () => undefined;

  storage(): Storage {
    const snapshot = { revision: 1, having: () => undefined, entries: () => this.entries() };
    const read: Partial<Storage> = {
      snapshot: () => Promise.resolve(snapshot as unknown as CollectionSnapshot),
      watch: (_options, subscriber) => {
        subscriber.onEstablished();
        subscriber.onInitial(snapshot as unknown as CollectionSnapshot);
        return { close: () => undefined };
      },
    };
    return read as Storage;
  }

  private *entries(): Generator<Entry> {
    for (; this.seen < count; this.seen += 1) {
      if (this.seen === 100) this.onPart();
      yield this.entry;
    }
  }
}

function scopeWith(signal: AbortSignal): RequestScope {
  const resource = realCatalogue(namingProfiles.orch).catalogue.resource('', 'v1', 'configmaps');
  return { resource, namespace: 'x', signal } as RequestScope;
}

test('a list', async () => {
  const counted = new Counted();
  const client = new AbortController();
  counted.onPart = () => {
    client.abort(new Error('the client is gone'));
  };
  await expect(listObjects(counted.storage(), scopeWith(client.signal), options)).rejects.toThrow(
    'the client is gone',
  );
  expect(counted.seen).toBeLessThan(1_000);
});

test('the first state of a watch', async () => {
  const counted = new Counted();
  const read = Promise.withResolvers<undefined>();
  const proceed = Promise.withResolvers<undefined>();
  const sink: WatchSink = {
    onItems: () => undefined,
    onBookmark: () => undefined,
    onError: () => undefined,
    ready: () => {
      read.resolve(undefined);
      return proceed.promise;
    },
  };
  const scope = scopeWith(new AbortController().signal);
  const watch = await watchObjects(counted.storage(), scope, { query: options, streaming: 'served' }, sink);
  await read.promise;
  watch.close();
  proceed.resolve(undefined);
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(counted.seen).toBeGreaterThan(100);
  expect(counted.seen).toBeLessThan(1_000);
});
