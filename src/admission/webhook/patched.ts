/** What a webhook's patch makes of an object: decoded again, with defaults, and back in the form that is stored. */
import { messageOf } from '../../base/errors.ts';
import { deepEqual, isObject, setOwn, type JsonObject, type JsonValue } from '../../base/json.ts';
import { decodeJson } from '../../codec/json.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { asJson, type ApiObject, type ObjectMeta } from '../../meta/object.ts';
import { badRequest } from '../../meta/status.ts';
import { applyJsonPatch, parseJsonPatch, type JsonPatchOperation } from '../../patch/json-patch.ts';
import { applyStaticDefaults } from '../../schema/default.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { AdmissionAttributes, ServedResource } from '../../registry/types.ts';
import type { Called } from './call.ts';
import { failedInternally } from './failures.ts';
import type { Invocation } from './match.ts';
import type { WebhookParts } from './parts.ts';

/**
 * Applies what a webhook answered to the object of the write, in place. False: it changes nothing.
 * @throws StatusError 500 for a patch that cannot be applied or leaves no object of the kind, 400 for another namespace
 */
export async function applyVerdict(
  parts: WebhookParts,
  { hook, resource }: Invocation,
  attributes: AdmissionAttributes,
  { verdict, object }: Called,
): Promise<boolean> {
  const operations = readPatch(verdict.patch);
  if (operations.length === 0) return false;
  const { object: target } = attributes;
  if (!target || !object) {
    const name = JSON.stringify(hook.name);
    throw failedInternally(
      `admission webhook ${name} attempted to modify the object, which is not supported for this operation`,
    );
  }
  const patched = applied(object, operations);
  if (deepEqual(patched, object)) return false;
  if (attributes.kind) replaceContent(target, structured(parts, attributes, patched));
  else replaceContent(target, await stored(parts, { attributes, resource, target }, patched));
  return true;
}

function readPatch(patch: string): readonly JsonPatchOperation[] {
  if (patch === '') return [];
  return orInternal(() => parseJsonPatch(decodeJson(Buffer.from(patch, 'base64')).value));
}

function applied(object: JsonObject, operations: readonly JsonPatchOperation[]): JsonObject {
  const patched: JsonValue = orInternal(() => applyJsonPatch(object, operations));
  if (isObject(patched)) return patched;
  throw failedInternally('the patch of the webhook leaves no object');
}

function orInternal<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw failedInternally(messageOf(error), error);
  }
}

interface Patching {
  readonly attributes: AdmissionAttributes;
  readonly resource: ServedResource;
  readonly target: ApiObject;
}

async function stored(
  { isFeatureEnabled, now }: WebhookParts,
  { attributes: { scope }, resource, target }: Patching,
  patched: JsonObject,
): Promise<JsonObject> {
  const apiVersion = apiVersionOf(resource.gvk);
  if (patched['kind'] !== resource.gvk.kind || patched['apiVersion'] !== apiVersion)
    throw failedInternally(`the patch of the webhook leaves no ${resource.gvk.kind} of ${apiVersion}`);
  const { value, errors } = resource.structure(patched);
  if (errors.length > 0) throw failedInternally(errors.join('; '));
  const { kind: _kind, apiVersion: _version, metadata, ...rest } = value;
  const meta = isObject(metadata) ? metadata : {};
  keepServerFields(meta, target.metadata, scope.resource.namespaced ? scope.namespace : '');
  const whole: JsonObject = { kind: resource.gvk.kind, apiVersion, metadata: meta, ...rest };
  const { naming } = resource;
  const { version } = resource.gvr;
  const { subresource, user } = scope;
  resource.applyDefaults(whole, { naming, isFeatureEnabled, now, subresource, version, user });
  const { conversion } = scope.resource;
  if (!conversion || resource === scope.resource) return resource.toStorage(whole);
  return conversion.from(resource.gvk.version, whole, scope.signal);
}

/** Who owns the fields is settled by the server alone. @throws StatusError 400 for another namespace */
function keepServerFields(meta: ObjectMeta, { managedFields }: ObjectMeta, namespace: string): void {
  if ((meta.namespace ?? '') !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (managedFields === undefined) delete meta.managedFields;
  else meta.managedFields = managedFields;
}

/** A body that is no object of the resource (`Eviction`), or one that is not stored (`Binding`). */
function structured(
  { isFeatureEnabled }: WebhookParts,
  { scope: { resource, subresource } }: AdmissionAttributes,
  patched: JsonObject,
): JsonObject {
  const schema = subresource === '' ? resource.schema : resource.subresourceSchema(subresource);
  if (!schema) return patched;
  const { value, errors } = checkStructure(schema, patched);
  if (errors.length > 0) throw failedInternally(errors.join('; '));
  applyStaticDefaults(schema, value, isFeatureEnabled);
  return value;
}

/** The registry goes on with the object that it handed in. */
function replaceContent(target: ApiObject, content: JsonObject): void {
  const object = asJson(target);
  for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
  for (const [key, value] of Object.entries(content)) if (value !== undefined) setOwn(object, key, value);
}
