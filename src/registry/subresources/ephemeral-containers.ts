/** `pods/ephemeralcontainers`: containers added to a running pod for debugging (core/v1 EphemeralContainers). */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, isObject } from '../../base/json.ts';
import { asApiObject, asJson } from '../../meta/object.ts';
import { badRequest } from '../../meta/status.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { Action, ActionRequest } from './action.ts';
import type { AdmittedForm } from '../write/admitted-form.ts';
import { readObject } from '../object-memo.ts';
import { apiContext, type RegistryDeps } from '../registry-context.ts';
import { assertUsable } from '../write/field-validation.ts';
import { getObject } from '../read/get-list.ts';
import type { RequestScope } from '../types.ts';
import { writeObject } from '../write/pipeline.ts';

const kind = 'EphemeralContainers';

/** Reads, replaces or patches them. @throws StatusError 400, 404, 409, 422 */
export const ephemeralContainers: Action = async (deps, scope, request) => {
  const { name, verb } = request;
  if (verb === 'get') {
    const entry = await getObject(deps.storage, scope, name, { resourceVersion: '' });
    return containersOf(asJson(await readObject(entry)));
  }
  const transform = (pod: JsonObject): JsonObject => withContainers(pod, sentContainers(scope, request, pod));
  const { entry } = await writeObject(deps, scope, name, {
    update: (current) => ({ object: transform(current) }),
    form: formOf(deps, scope),
  });
  return containersOf(asJson(await readObject(entry)));
};

/** Objects are pods of the storage version, which is that of the request. */
function formOf(deps: RegistryDeps, scope: RequestScope): AdmittedForm {
  return {
    kind: { group: '', version: 'v1', kind },
    of: (pod) => asApiObject(deepCopy(containersOf(asJson(pod)))),
    into: (pod, { ephemeralContainers: containers }) => {
      pod['spec'] = { ...(pod['spec'] as JsonObject), ephemeralContainers: containers ?? [] };
      scope.resource.applyDefaults(asJson(pod), apiContext(deps, scope));
    },
  };
}

/** The EphemeralContainers of a pod. */
function containersOf({ metadata, spec }: JsonObject): JsonObject {
  const containers = isObject(spec) ? spec['ephemeralContainers'] : undefined;
  return { kind, apiVersion: 'v1', metadata: metadata ?? {}, ephemeralContainers: containers ?? [] };
}

function sentContainers(
  scope: RequestScope,
  { body, transform }: ActionRequest,
  pod: JsonObject,
): JsonObject {
  const sent = transform ? transform(containersOf(pod)) : (body ?? {});
  const { kind: sentKind = kind, apiVersion = 'v1' } = sent;
  if (sentKind !== kind || apiVersion !== 'v1') throw badRequest(`the object must be an ${kind} of v1`);
  const schema = scope.resource.subresourceSchema(scope.subresource);
  if (!schema) throw new Error(`the schema of ${kind} is missing`);
  const { value, ...found } = checkStructure(schema, sent);
  assertUsable(scope, { group: '', version: 'v1', kind }, found);
  return value;
}

/** The pod with these containers; sent metadata must match. */
function withContainers(pod: JsonObject, { metadata, ephemeralContainers: sent }: JsonObject): JsonObject {
  const spec = isObject(pod['spec']) ? pod['spec'] : {};
  const containers: JsonValue = sent ?? [];
  return { ...pod, metadata: agreed(pod, metadata), spec: { ...spec, ephemeralContainers: containers } };
}

function agreed(pod: JsonObject, sent: JsonValue | undefined): JsonObject {
  const own = isObject(pod['metadata']) ? pod['metadata'] : {};
  if (!isObject(sent)) return own;
  const { name, namespace, uid, resourceVersion } = sent;
  return {
    ...own,
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    resourceVersion: resourceVersion ?? '',
  };
}
