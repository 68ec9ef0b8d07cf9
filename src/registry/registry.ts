/** `createRegistry`: the verbs on resources, each in its own file. */
import type { JsonObject } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import { Turns } from '../base/turns.ts';
import { isMissing } from '../meta/object-errors.ts';
import { conflict, methodNotSupported, staleConflict } from '../meta/status.ts';
import { actions } from './actions.ts';
import { admitAction } from './admit-action.ts';
import { applyObject } from './apply.ts';
import type { RegistryDeps } from './context.ts';
import { apiContext } from './context.ts';
import { ConversionReplay } from './conversion-replay.ts';
import { convertedStorage } from './converted-storage.ts';
import { createObject } from './create.ts';
import { decodeObject } from './decode-object.ts';
import { deleteCollection } from './delete-collection.ts';
import { deleteObject } from './delete.ts';
import { agreeWithPath } from './object-meta.ts';
import { ParsedObjects } from './parsed-objects.ts';
import { getObject, listObjects } from './read.ts';
import { withoutChunks } from './read-version.ts';
import { scaleObject } from './scale.ts';
import { addressOf } from './scope-keys.ts';
import type { Current } from './current.ts';
import type { ListOptions, RequestScope, ResourceVerbs, ServedResource, WriteResult } from './types.ts';
import { updateObject } from './update.ts';
import { watchObjects } from './watch.ts';

/** The one implementation of `ResourceVerbs`. */
export function createRegistry(given: RegistryDeps): ResourceVerbs {
  const shared = {
    ...given,
    turns: given.turns ?? new Turns(),
    written: given.written ?? ParsedObjects.ofWrites(),
  };
  const at = depsByScope(shared);
  const asked = (options: ListOptions): ListOptions =>
    shared.isFeatureEnabled('APIListChunking') ? options : withoutChunks(options);
  return {
    get: (scope, name, options) => getObject(at(scope).storage, scope, name, options),
    list: (scope, options) => listObjects(at(scope).storage, scope, asked(options)),
    watch: (scope, query, sink) => watchObjects(at(scope).storage, scope, query, sink),
    create: (scope, name, object) => createObject(at(scope), scope, { name, body: object }),
    replace: (scope, name, object) => replaceObject(at(scope), scope, name, object),
    patch: (scope, name, transform) => updateObject(at(scope), scope, name, { transform, isReplace: false }),
    apply: (scope, name, configuration, options) =>
      applyObject(at(scope), scope, { name, configuration, ...options }),
    delete: (scope, name, options) => deleteObject(at(scope), scope, name, options),
    deleteCollection: (scope, list, options) => deleteCollection(at(scope), scope, asked(list), options),
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
    applyScale: (scope, name, body, apply) =>
      scaleObject(at(scope), scope, { name, verb: 'patch', body, transform: undefined, apply }),
  };
}

/**
 * What a verb works with. Resources with a conversion have a storage that converts, and turns of their own for each
 * version: what one writer leaves for the next is of that version.
 */
function depsByScope(shared: RegistryDeps): (scope: RequestScope) => RegistryDeps {
  const turns = new WeakMap<ServedResource, Turns<Current>>();
  return (scope) => {
    const { resource } = scope;
    if (!resource.conversion) return shared;
    let own = turns.get(resource);
    if (!own) turns.set(resource, (own = new Turns()));
    return {
      ...shared,
      storage: convertedStorage(shared.storage, resource.conversion, scope),
      turns: own,
      replay: new ConversionReplay(scope.signal),
    };
  };
}

/** Actions are named by the subresource's handler; a virtual resource acts under its own plural. */
function actionName(scope: RequestScope): string {
  if (scope.subresource === '') return scope.resource.gvr.resource;
  return scope.resource.subresource(scope.subresource)?.handler ?? '';
}

/** PUT: replaces, or creates where the kind allows it (facts/strategies.tsv, createOnUpdate). */
async function replaceObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  object: JsonObject,
): Promise<WriteResult> {
  try {
    return await updateObject(deps, scope, name, { transform: () => object, isReplace: true });
  } catch (error) {
    if (!isMissing(error, addressOf(scope, name))) throw error;
    if (!mayCreate(scope)) {
      assertUsable(deps, scope, name, object);
      throw error;
    }
    assertNeverThere(scope, name, object);
    await scope.assertMayCreate();
    return createObject(deps, scope, { name, body: object });
  }
}

/** A body that speaks of a certain object, or of a certain version of it, is not about a new one. @throws StatusError 409 */
function assertNeverThere(scope: RequestScope, name: string, { metadata }: JsonObject): void {
  if (!isObject(metadata)) return;
  const { uid = '', resourceVersion = '' } = metadata;
  if (typeof uid === 'string' && uid !== '') {
    const problem = `Precondition failed: UID in precondition: ${uid}, UID in object meta: `;
    throw conflict(scope.resource.gvr, name, problem);
  }
  if (typeof resourceVersion === 'string' && !['', '0'].includes(resourceVersion)) {
    throw staleConflict(scope.resource.gvr, name);
  }
}

function mayCreate({ resource, subresource }: RequestScope): boolean {
  return resource.definition.strategy.createOnUpdate && subresource === '';
}

/** A body that is wrong in itself is told so, whether its object is there or not. @throws StatusError 400 */
function assertUsable(deps: RegistryDeps, scope: RequestScope, name: string, body: JsonObject): void {
  const { metadata } = decodeObject(scope, body, apiContext(deps, scope));
  agreeWithPath(scope, name, metadata);
}
