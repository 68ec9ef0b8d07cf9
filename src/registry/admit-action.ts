/** Admission of what is no write of an object: bodies of actions (`Eviction`) and options of connections. */
import type { JsonObject } from '../base/json.ts';
import { apiVersionOf, type GroupVersionKind } from '../meta/gvk.ts';
import { expandNames } from '../meta/naming.ts';
import { asJson, type ApiObject } from '../meta/object.ts';
import type { RegistryDeps } from './context.ts';
import type { AdmissionAttributes, RequestScope } from './types.ts';

export interface Act {
  readonly name: string;
  readonly verb: string;
  readonly body: JsonObject | undefined;
}

/**
 * The body as admission leaves it. Reads, and actions that change their object like an update does, are not asked about
 * here. @throws StatusError as admission refuses
 */
export async function admitAction(
  { admission }: RegistryDeps,
  scope: RequestScope,
  { name, verb, body }: Act,
): Promise<JsonObject | undefined> {
  const { type, kind: named } = scope.resource.subresource(scope.subresource) ?? {};
  const isConnection = type === 'connect';
  if (!named || !body || !(isConnection || (type === 'action' && verb === 'create'))) return body;
  const kind: GroupVersionKind = { ...named, group: expandNames(named.group, scope.resource.naming) };
  const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), ...body } as unknown as ApiObject;
  const operation = isConnection ? 'CONNECT' : 'CREATE';
  const attributes: AdmissionAttributes = { operation, scope, name, object, oldObject: undefined, kind };
  await admission.admit(attributes);
  await admission.validate(attributes);
  return asJson(object);
}
