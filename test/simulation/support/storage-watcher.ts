/** Watches of the storage of replicas. */
import { StorageError, type StoredEvent, type WatchSubscriber } from '../../../src/storage/types.ts';
import type { Filter, WatchEnding } from '../../support/histories/types.ts';
import { collection, stateOf, type ClientParts } from './storage-client.ts';
import { Watcher, type OpenedWatch } from './watcher.ts';

/** A client that watches everything, a namespace or an object. */
export function storageWatcher(parts: ClientParts): Watcher {
  return new Watcher(parts, someFilter(parts), (watch) => {
    const { life, filter, start, signal } = watch;
    const from =
      start.kind === 'after'
        ? ({ kind: 'after', revision: start.version } as const)
        : ({ kind: 'stateThenChanges', freshness: start.freshness } as const);
    life.storage.watch({ collection, ...filter, signal, start: from }, subscriberOf(watch));
  });
}

function someFilter({ random, keys }: ClientParts): Filter {
  const shape = random.weighted({ all: 5, namespace: 3, key: 2 });
  const key = random.pick(keys);
  if (shape === 'all') return { prefix: '' };
  return shape === 'key' ? { prefix: key, exactKey: true } : { prefix: `${key.split('/')[0] ?? ''}/` };
}

function subscriberOf({ filter, ...watch }: OpenedWatch): WatchSubscriber {
  const { prefix, exactKey } = filter;
  const matches = (key: string): boolean => (exactKey === true ? key === prefix : key.startsWith(prefix));
  return {
    onEstablished: () => undefined,
    onInitial: (state) => {
      if (state.unreadableIn?.(prefix) !== undefined) {
        watch.onEnd('failed');
        return;
      }
      const items = [...state.entries('', '')].map(stateOf).filter(({ key }) => matches(key));
      watch.onInitial(state.revision, items);
    },
    onEvents: (events) => {
      for (const event of events)
        watch.onEvent(typeOf(event), { ...stateOf(event.entry), version: event.revision });
    },
    onProgress: watch.onBookmark,
    onEnd: (reason) => watch.onEnd(endingOf(reason)),
    ready: watch.ready,
  };
}

function typeOf({ type, previous }: StoredEvent): 'ADDED' | 'MODIFIED' | 'DELETED' {
  if (type === 'delete') return 'DELETED';
  return previous === undefined ? 'ADDED' : 'MODIFIED';
}

function endingOf(reason: StorageError): WatchEnding {
  if (reason.code === 'compacted') return 'expired';
  return reason.code === 'stopped' ? 'ended' : 'failed';
}
