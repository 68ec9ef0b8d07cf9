/** `createRegistry`: the verbs on resources, each in its own file. */
import type { JsonObject } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import { Turns } from '../base/turns.ts';
import { conflict, methodNotSupported, notFound, staleConflict, StatusError } from '../meta/status.ts';
import { actions } from './actions.ts';
import { admitAction } from './admit-action.ts';
import { applyObject } from './apply.ts';
import type { RegistryDeps } from './context.ts';
import { createObject } from './create.ts';
import { deleteCollection } from './delete-collection.ts';
import { deleteObject } from './delete.ts';
import { getObject, listObjects } from './read.ts';
import { withoutChunks } from './read-version.ts';
import type { ListOptions, RequestScope, ResourceVerbs, WriteResult } from './types.ts';
import { updateObject } from './update.ts';
import { watchObjects } from './watch.ts';

/** The one implementation of `ResourceVerbs`. */
export function createRegistry(given: RegistryDeps): ResourceVerbs {
  const deps = { ...given, turns: given.turns ?? new Turns() };
  const { storage } = deps;
  const asked = (options: ListOptions): ListOptions =>
    deps.isFeatureEnabled('APIListChunking') ? options : withoutChunks(options);
  return {
    get: (scope, name, options) => getObject(storage, scope, name, options),
    list: (scope, options) => listObjects(storage, scope, asked(options)),
    watch: (scope, query, sink) => watchObjects(storage, scope, query, sink),
    create: (scope, name, object) => createObject(deps, scope, { name, body: object }),
    replace: (scope, name, object) => replaceObject(deps, scope, name, object),
    patch: (scope, name, transform) => updateObject(deps, scope, name, { transform, isReplace: false }),
    apply: (scope, name, configuration, options) =>
      applyObject(deps, scope, { name, configuration, ...options }),
    delete: (scope, name, options) => deleteObject(deps, scope, name, options),
    deleteCollection: (scope, list, options) => deleteCollection(deps, scope, asked(list), options),
    act: async (scope, name, verb, body) => {
      const action = actions.get(actionName(scope));
      if (!action) throw methodNotSupported();
      const isPatch = typeof body === 'function';
      return action(deps, scope, {
        name,
        verb,
        body: isPatch ? undefined : await admitAction(deps, scope, { name, verb, body }),
        transform: isPatch ? body : undefined,
      });
    },
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
    if (!(error instanceof StatusError) || !isMissing(error, scope, name)) throw error;
    assertNeverThere(scope, name, object);
    await scope.assertMayCreate?.();
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

function isMissing(error: StatusError, scope: RequestScope, name: string): boolean {
  const { createOnUpdate } = scope.resource.definition.strategy;
  return (
    createOnUpdate && scope.subresource === '' && error.message === notFound(scope.resource.gvr, name).message
  );
}
