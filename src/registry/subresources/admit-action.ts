/** Admission of actions: bodies (`Eviction`) and options of connections. */
import { isObject, textOf, type JsonObject } from '../../base/json.ts';
import { apiVersionOf, type GroupVersionKind } from '../../meta/gvk.ts';
import { expandNames } from '../../meta/naming.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { AdmissionAttributes, RequestScope } from '../types.ts';

export interface Act {
  readonly name: string;
  readonly verb: string;
  readonly body: JsonObject | undefined;
}

/**
 * The admitted body. Reads, reviews, and actions that update their object are not admitted here.
 * @throws StatusError of admission
 */
export async function admitAction(
  { admission }: RegistryDeps,
  scope: RequestScope,
  { name, verb, body }: Act,
): Promise<JsonObject | undefined> {
  const kind = kindOf(scope);
  const isConnection = scope.resource.subresource(scope.subresource)?.type === 'connect';
  if (!kind || !body || !(isConnection || verb === 'create')) return body;
  const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), ...body } as unknown as ApiObject;
  const operation = isConnection ? 'CONNECT' : 'CREATE';
  const about = { scope, name: name === '' ? nameIn(body) : name };
  const attributes: AdmissionAttributes = { operation, ...about, object, oldObject: undefined, kind };
  await admission.admit(attributes);
  await admission.validate(attributes);
  return asJson(object);
}

/** The kind of the body. */
function kindOf({ resource, subresource }: RequestScope): GroupVersionKind | undefined {
  if (subresource === '') return resource.gvr.resource === 'bindings' ? resource.gvk : undefined;
  const { kind, type } = resource.subresource(subresource) ?? {};
  if (!kind || type === 'object') return undefined;
  return { ...kind, group: expandNames(kind.group, resource.naming) };
}

function nameIn({ metadata }: JsonObject): string {
  return isObject(metadata) ? textOf(metadata['name']) : '';
}
