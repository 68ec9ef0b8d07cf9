/** `createRegistry`: the verbs on resources, each in its own file. */
import { KeyedQueue } from '../base/keyed-queue.ts';
import { currentRelease } from '../observe/release.ts';
import { methodNotSupported } from '../meta/status.ts';
import { actions } from './subresources/actions.ts';
import { admitAction } from './subresources/admit-action.ts';
import { connections } from './subresources/connect.ts';
import { applyObject } from './write/apply.ts';
import type { RegistryDeps } from './registry-context.ts';
import { convertedStorage, rehearsedWrite } from './conversion/converted-storage.ts';
import { createObject } from './write/create.ts';
import { deleteCollection } from './write/delete-collection.ts';
import { deleteObject } from './write/delete.ts';
import { ParsedObjects } from './write/parsed-objects.ts';
import { getObject, listObjects } from './read/get-list.ts';
import { withoutChunks } from './read/resource-version-match.ts';
import { streamingListsOf } from './read/streaming-lists.ts';
import { scaleObject } from './subresources/scale.ts';
import type { Current } from './written-entry.ts';
import type { ListOptions, RequestScope, ResourceVerbs, ServedResource } from './types.ts';
import { GrownRoom } from './conversion/grown-room.ts';
import { replaceObject } from './write/replace.ts';
import { updateObject } from './write/update.ts';
import { SelectorRoom } from './watch/selector-room.ts';
import { watchObjects } from './watch/watch-objects.ts';

/** The implementation of `ResourceVerbs`. */
export function createRegistry(given: RegistryDeps): ResourceVerbs {
  const shared = {
    ...given,
    writerQueue: given.writerQueue ?? new KeyedQueue(),
    written: given.written ?? ParsedObjects.ofWrites(),
  };
  const at = depsByScope(shared);
  const counts = shared.isFeatureEnabled('RemainingItemCount');
  const chunked = (options: ListOptions): ListOptions =>
    shared.isFeatureEnabled('APIListChunking') ? options : withoutChunks(options);
  const room = new GrownRoom(shared.clock);
  const selectors = new SelectorRoom(shared.clock);
  const streaming = streamingListsOf(shared.release ?? currentRelease, shared.isFeatureEnabled);
  return {
    get: (scope, name, options) => getObject(at(scope).storage, scope, name, options),
    list: (scope, options) => listObjects(at(scope).storage, scope, { ...chunked(options), counts }, room),
    watch: (scope, query, sink) =>
      watchObjects(at(scope).storage, scope, { query, streaming, room, selectors }, sink),
    create: (scope, name, object) => createObject(at(scope), scope, name, object),
    replace: (scope, name, object) => replaceObject(at(scope), scope, name, object),
    patch: (scope, name, transform) => updateObject(at(scope), scope, name, transform),
    apply: (scope, name, configuration, options) =>
      applyObject(at(scope), scope, { name, configuration, ...options }),
    delete: (scope, name, options) => deleteObject(at(scope), scope, name, options),
    deleteCollection: (scope, list, options, elsewhere) =>
      deleteCollection(at(scope), scope, { ...chunked(list), counts }, { options, elsewhere }),
    act: async (scope, name, verb, body) => {
      const action = actions.get(actionName(scope));
      if (!action) throw methodNotSupported();
      const isPatch = typeof body === 'function';
      const deps = at(scope);
      return action(deps, scope, {
        name,
        verb,
        body: isPatch ? undefined : await admitAction(deps, scope, { name, verb, body }),
        transform: isPatch ? body : undefined,
      });
    },
    connect: async (scope, name, verb, sent) => {
      const connect = connections.get(actionName(scope));
      if (!connect) throw methodNotSupported();
      const deps = at(scope);
      const options = await admitAction(deps, scope, { name, verb, body: sent });
      return connect(deps, scope, { name, options: options ?? sent });
    },
    applyScale: (scope, name, body, apply) =>
      scaleObject(at(scope), scope, { name, verb: 'patch', body, transform: undefined, apply }),
  };
}

/**
 * Dependencies by scope. Resources with a conversion have a converting storage, and separate turns per version, as
 * writers hand over objects of that version.
 */
function depsByScope(shared: RegistryDeps): (scope: RequestScope) => RegistryDeps {
  const writerQueues = new WeakMap<ServedResource, KeyedQueue<Current>>();
  return (scope) => {
    const { resource } = scope;
    const { stored } = resource.conversion;
    if (!stored) return shared;
    let own = writerQueues.get(resource);
    if (!own) writerQueues.set(resource, (own = new KeyedQueue()));
    return {
      ...shared,
      storage: convertedStorage(shared.storage, stored, scope),
      rehearse: rehearsedWrite(stored, scope),
      writerQueue: own,
    };
  };
}

/** The action of a subresource is its handler name, that of a virtual resource its plural. */
function actionName(scope: RequestScope): string {
  if (scope.subresource === '') return scope.resource.gvr.resource;
  return scope.resource.subresource(scope.subresource)?.handler ?? '';
}
