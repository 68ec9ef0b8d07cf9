/** `…/scale`: the scale subresource (autoscaling/v1 Scale). */
import type { ScaleDefinition } from '../../api/types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, isObject } from '../../base/json.ts';
import { invalid } from '../../meta/field-error.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asApiObject, asJson } from '../../meta/object.ts';
import { badRequest, conflict, invalidObject, methodNotSupported } from '../../meta/status.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { StructSchema } from '../../schema/types.ts';
import type { ActionRequest } from './action.ts';
import type { AdmittedForm } from '../write/admitted-form.ts';
import { scaleApplier } from './apply-scale.ts';
import { readObject } from '../object-memo.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { assertUsable, refusePatched, type Refuse } from '../write/field-validation.ts';
import { agreeWithPath } from '../write/object-meta.ts';
import { getObject } from '../read/get-list.ts';
import type { RequestScope, Transform } from '../types.ts';
import { writeObject } from '../write/pipeline.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** Reads, replaces, patches or applies the scale of an object. @throws StatusError 400, 404, 405, 409, 415, 422 */
export async function scaleObject(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  const definition = scope.resource.subresource(scope.subresource)?.scale;
  if (!definition) throw methodNotSupported();
  if (request.verb === 'get') {
    const entry = await getObject(deps.storage, scope, request.name, { resourceVersion: '' });
    return scaleOf(await readObject(entry), definition);
  }
  const transform = rescaled(scope, applied(deps, scope, request), definition);
  const form = formOf(request.name, definition);
  const { entry } = await writeObject(deps, scope, request.name, {
    update: (current) => ({ object: transform(current) }),
    form,
  });
  return scaleOf(await readObject(entry), definition);
}

/** Turns an applied configuration into a patch. */
function applied(deps: RegistryDeps, scope: RequestScope, request: ActionRequest): ActionRequest {
  const { name, apply, body: configuration = {} } = request;
  if (!apply) return request;
  const application = { name, configuration, gvk: scaleKind, schema: schemaOf(scope), ...apply };
  return { ...request, transform: scaleApplier(deps, scope, application) };
}

function formOf(name: string, definition: ScaleDefinition): AdmittedForm {
  return {
    kind: scaleKind,
    of: (object) => asApiObject(scaleOf(object, definition)),
    into: (object, scale) => {
      definition.setWanted(object, wantedReplicas(name, scale));
    },
  };
}

/** The Scale of an object. */
function scaleOf(object: ApiObject, definition: ScaleDefinition): JsonObject {
  const { name = '', namespace = '', uid = '', resourceVersion = '', creationTimestamp } = object.metadata;
  const wanted = definition.wanted(object);
  const selector = definition.selector(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp: creationTimestamp ?? null },
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: definition.observed(object), ...(selector !== '' && { selector }) },
  };
}

/** The object with the replicas of the sent or patched Scale. */
function rescaled(scope: RequestScope, request: ActionRequest, definition: ScaleDefinition): Transform {
  const { body, transform } = request;
  return (current) => {
    const stored = asApiObject(scope.resource.conversion.toInternal(deepCopy(current)));
    const sent = transform ? transform(scaleOf(stored, definition)) : (body ?? {});
    const refuse = transform && refusePatched(request.name);
    const scale = checkedScale(scope, request.name, sent, refuse);
    assertSameObject(scope, stored, scale);
    definition.setWanted(stored, wantedReplicas(request.name, scale));
    stored.metadata.resourceVersion = scale.metadata.resourceVersion ?? '';
    return scope.resource.conversion.fromInternal(asJson(stored));
  };
}

function checkedScale(scope: RequestScope, name: string, sent: JsonObject, refuse?: Refuse): ApiObject {
  const { kind = 'Scale', apiVersion = 'autoscaling/v1' } = sent;
  if (kind !== 'Scale' || apiVersion !== 'autoscaling/v1') {
    throw badRequest('the object must be a Scale of autoscaling/v1');
  }
  const { value, ...found } = checkStructure(schemaOf(scope), sent);
  assertUsable(scope, scaleKind, found, refuse);
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const scale = asApiObject({ ...value, metadata });
  agreeWithPath(scope, name, scale.metadata);
  return scale;
}

function schemaOf({ resource, subresource }: RequestScope): StructSchema {
  const schema = resource.subresourceSchema(subresource);
  if (schema) return schema;
  throw new Error(`the schema of ${resource.gvr.resource}/${subresource} is missing`);
}

/** A uid in a Scale must be that of the object. The resourceVersion is compared by the update. */
function assertSameObject(scope: RequestScope, stored: ApiObject, { metadata }: ApiObject): void {
  const name = stored.metadata.name ?? '';
  const actual = stored.metadata.uid ?? '';
  if (metadata.uid && metadata.uid !== actual) {
    const detail = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${actual}`;
    throw conflict(scope.resource.gvr, name, detail);
  }
}

function wantedReplicas(name: string, scale: ApiObject): number {
  const spec = scale['spec'] as { readonly replicas?: number } | undefined;
  const replicas = spec?.replicas ?? 0;
  if (replicas >= 0) return replicas;
  throw invalidObject(scaleKind, name, [
    invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
  ]);
}
