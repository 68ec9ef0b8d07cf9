/** PUT: replaces an object, or creates it if its kind allows create on update. */
import { isObject, type JsonObject } from '../../base/json.ts';
import { ObjectNotFound } from '../../meta/object-errors.ts';
import { conflict, staleConflict } from '../../meta/status.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { apiContext } from '../registry-context.ts';
import { addressOf } from '../scope-keys.ts';
import type { RequestScope, WriteResult } from '../types.ts';
import { decodeObject } from './decode.ts';
import { agreeWithPath } from './object-meta.ts';
import { writeObject } from './pipeline.ts';
import type { Proposal } from './write.ts';

/**
 * Replaces an object by a body of the requested version.
 * @throws ObjectMissing, StatusError 400, 403, 409, 422
 */
export function replaceObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  body: JsonObject,
): Promise<WriteResult> {
  return writeObject(deps, scope, name, {
    isReplace: true,
    update: () => ({ object: body }),
    create: () => newObject(deps, scope, name, body),
  });
}

async function newObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  body: JsonObject,
): Promise<Proposal> {
  if (!mayCreate(scope)) {
    assertUsable(deps, scope, name, body);
    throw new ObjectNotFound(addressOf(scope, name));
  }
  assertNeverThere(scope, name, body);
  await scope.assertMayCreate();
  return { object: body };
}

/**
 * A body with a uid or resourceVersion cannot create an object.
 * @throws StatusError 409
 */
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

/**
 * A malformed body is a 400, even if the object does not exist.
 * @throws StatusError 400
 */
function assertUsable(deps: RegistryDeps, scope: RequestScope, name: string, body: JsonObject): void {
  const { metadata } = decodeObject(scope, body, apiContext(deps, scope));
  agreeWithPath(scope, name, metadata);
}
