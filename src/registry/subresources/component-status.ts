/** `componentstatuses`: the health of dependencies, probed at each read and never stored. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { ObjectNotFound } from '../../meta/object-errors.ts';
import { methodNotSupported } from '../../meta/status.ts';
import type { ActionRequest } from './action.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { addressOf } from '../scope-keys.ts';
import type { RequestScope } from '../types.ts';

/** Reads one component or all. @throws StatusError 404, 405 */
export async function readComponentStatus(
  deps: RegistryDeps,
  scope: RequestScope,
  { name, verb }: ActionRequest,
): Promise<JsonValue> {
  const items = await components(deps);
  if (verb === 'list') {
    const resourceVersion = String(deps.storage.revision());
    return { kind: scope.resource.listKind, apiVersion: 'v1', metadata: { resourceVersion }, items };
  }
  if (verb !== 'get') throw methodNotSupported();
  const found = items.find((item) => (item['metadata'] as JsonObject)['name'] === name);
  if (!found) throw new ObjectNotFound(addressOf(scope, name));
  return found;
}

async function components(deps: RegistryDeps): Promise<JsonObject[]> {
  const health = await deps.storage.health();
  return [component('etcd', health.etcd), component('etcd-follower', health.follower)];
}

function component(name: string, problem: string): JsonObject {
  const condition = {
    type: 'Healthy',
    status: problem === '' ? 'True' : 'False',
    message: problem === '' ? 'ok' : problem,
  };
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] };
}
