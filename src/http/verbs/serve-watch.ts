/** GET of a collection with `watch`, and the deprecated watch paths. */
import { serviceUnavailable, StatusError } from '../../meta/status.ts';
import type { ServedResource, WatchQuery } from '../../registry/types.ts';
import type { RequestContext } from '../request-context.ts';
import { elsewhereFor } from '../representation/large-forms.ts';
import { labelsOf } from '../filters/request-metrics.ts';
import { parseTimeoutMs, parseWatchQuery } from '../options/read-options.ts';
import { WatchStream } from '../watch/watch-stream.ts';
import type { WatchLimits } from '../watch/open-watches.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';
import { readScope } from './verb-request.ts';

/** Errors before the stream starts are HTTP answers; later ones are ERROR events. */
export async function serveWatch(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource, name } = request;
  const query = parseWatchQuery(context.query, name, deps.streamingLists);
  const representation = deps.representations.of(context, resource, 'object');
  const scope = readScope(request);
  const names = { ...resource.gvk, resource: resource.gvr.resource };
  const stream = new WatchStream({
    ...{ context, representation },
    elsewhere: elsewhereFor(deps.largeForms, representation, scope),
    limits: deps.watchLimits,
    mayWait: () => deps.watches.share(deps.watchLimits),
    wantsBookmarks: query.allowWatchBookmarks,
    timeoutMs: timeoutOf(context, deps.watchLimits),
    events: deps.metrics.watchEvents.series(names),
    eventSizes: deps.metrics.watchEventSizes.series(names),
    initEvents: deps.metrics.initEvents.series(names),
    terminated: deps.metrics.terminatedWatchers.series(names),
    hasInitial: () => {
      const labels = labelsOf(context);
      const tookMs = context.phase.clock.monotonic() - context.startedAt;
      deps.metrics.watchListDuration.series(labels).observe(tookMs / 1_000);
    },
    ended: (reason, seconds) => {
      const { resource: name } = resource.gvr;
      deps.metrics.watchEnds.series({ resource: name, reason }).add();
      deps.metrics.watchDuration.series({ resource: name }).observe(seconds);
    },
    logger: deps.logger,
  });
  count(request, deps);
  deps.watches.enter(stream, { resource, request: context });
  context.onClose(() => {
    deps.watches.leave(stream);
  });
  try {
    stream.attach(await deps.verbs.watch(scope, query, stream));
    stream.begin();
    if (!beginsWithState(query)) context.begun();
    context.forgetHead();
  } catch (error) {
    if (stream.isUnanswered && !mayBegin(error, resource)) throw error;
    stream.onError(error);
  }
  if (stream.isUnanswered && !context.isClosed()) throw serviceUnavailable('the server is shutting down');
}

/** Without a version, and from version 0 on, the state of the collection comes first. */
function beginsWithState({ resourceVersion, sendInitialEvents }: WatchQuery): boolean {
  return sendInitialEvents === true || resourceVersion === '' || resourceVersion === '0';
}

/** Whether the stream begins although its version is too old, to end with the error. */
function mayBegin(error: unknown, { naming }: ServedResource): boolean {
  return naming.expiredWatchesBegin && error instanceof StatusError && error.code === 410;
}

function count({ context, resource }: ResourceRequest, deps: VerbDeps): void {
  const longRunning = deps.metrics.longRunning.series(labelsOf(context));
  const watchers = deps.metrics.registeredWatchers.series({ ...resource.gvk });
  longRunning.add();
  watchers.add();
  context.onClose(() => {
    longRunning.add(-1);
    watchers.add(-1);
  });
}

/** Watches without timeoutSeconds get a random timeout, so that clients do not reconnect all at once. */
function timeoutOf({ query, phase }: RequestContext, { defaultTimeoutMs: [min, max] }: WatchLimits): number {
  return parseTimeoutMs(query) ?? min + phase.random.number() * (max - min);
}
