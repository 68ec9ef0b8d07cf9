/** Watches of the API with a selector. */
import { StatusError } from '../../../src/meta/status.ts';
import type { WatchSink } from '../../../src/registry/types.ts';
import { fromNow, scope } from '../../support/registry.ts';
import type { State, WatchEnding } from '../../support/histories/types.ts';
import { verbsOf } from './api-replica.ts';
import { apiStateOf, namespaceOf, selectorOf, someFilter } from './api-state.ts';
import type { ClientParts } from './storage-client.ts';
import { Watcher, type OpenedWatch } from './watcher.ts';

/** Most time in milliseconds that a client waits for the answer. */
const patienceMs = 20_000;

/** A client that watches config maps. */
export function apiWatcher(parts: ClientParts): Watcher {
  const { world, random, keys } = parts;
  return new Watcher(parts, someFilter(random, keys), (watch) => {
    const { life, filter, signal, onEnd } = watch;
    const where = scope('configmaps', { namespace: namespaceOf(filter.prefix), signal });
    const opening = verbsOf(world, life).watch(where, queryOf(watch, parts), sinkOf(watch));
    const patience = world.scheduler.schedule(patienceMs, () => onEnd('closed'), 'patience');
    const isPatient = (): void => world.scheduler.cancel(patience);
    opening.then(isPatient, (error: unknown) => onEnd(endingOf(error)));
    signal.addEventListener('abort', () => {
      isPatient();
      void opening.then((handle) => handle.close()).catch(() => undefined);
    });
  });
}

/** A state is asked for in both ways there are: as a streaming list, and as clients before it did. */
function queryOf({ start, filter }: OpenedWatch, { random }: ClientParts): typeof fromNow {
  const query = { ...fromNow, labelSelector: selectorOf(filter), allowWatchBookmarks: true };
  if (start.kind === 'after') return { ...query, resourceVersion: String(start.version) };
  const resourceVersion = start.freshness.kind === 'any' ? '0' : '';
  const streamed = { resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true };
  return { ...query, resourceVersion, ...(random.chance(0.5) && streamed) };
}

function sinkOf(watch: OpenedWatch): WatchSink {
  const initial: State[] = [];
  let isInitial = watch.start.kind === 'state';
  return {
    onItems: (items, areInitial) => {
      if (areInitial === true) initial.push(...items.map(({ event }) => apiStateOf(event)));
      else for (const { type, event } of items) watch.onEvent(type, apiStateOf(event));
    },
    onBookmark: (version) => {
      // The first one of a watch that begins with a state is behind that state.
      if (isInitial) watch.onInitial(version, initial);
      else watch.onBookmark(version);
      isInitial = false;
    },
    onError: (status) => watch.onEnd(endingOf(status)),
    ready: watch.ready,
  };
}

function endingOf(reason: unknown): WatchEnding {
  if (!(reason instanceof StatusError)) return 'failed';
  return reason.code === 410 ? 'expired' : 'failed';
}
