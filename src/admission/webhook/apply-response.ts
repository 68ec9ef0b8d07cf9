/** What a webhook's patch makes of an object: decoded again, with defaults, and back in the form that is stored. */
import { messageOf } from '../../base/errors.ts';
import { measure } from '../../base/measure.ts';
import { deepEqual, isObject, setOwn, type JsonObject, type JsonValue } from '../../base/json.ts';
import { decodeJson } from '../../codec/decode-json.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { asJson, type ApiObject, type ObjectMeta } from '../../meta/object.ts';
import { badRequest } from '../../meta/status.ts';
import { applyJsonPatch, parseJsonPatch, type JsonPatchOperation } from '../../patch/json-patch.ts';
import { GrownWrite } from '../../meta/grown-write.ts';
import { applyStaticDefaults } from '../../schema/static-defaults.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { AdmissionAttributes, ServedResource } from '../../registry/types.ts';
import type { WebhookResult } from './call-webhook.ts';
import { CallFailure, failedInternally } from './failures.ts';
import type { Invocation } from './match-rules.ts';
import type { WebhookDependencies } from './dependencies.ts';

/**
 * Applies what a webhook answered to the object of the write, in place. False: it changes nothing.
 * @throws GrownWrite; StatusError 500 for a patch that cannot be applied or leaves no object of the kind, 400 for another namespace
 */
export async function applyAdmissionResponse(
  parts: WebhookDependencies,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  result: WebhookResult,
): Promise<boolean> {
  try {
    return await apply(parts, invocation, attributes, result);
  } catch (error) {
    if (!(error instanceof UnusablePatch)) throw error;
    const { message } = new CallFailure(invocation.hook.name, error.message);
    throw failedInternally(message, error);
  }
}

/** What the webhook answered cannot be done, whatever its failure policy. */
class UnusablePatch extends Error {
  constructor(problem: string, cause?: unknown) {
    super(problem, { cause });
    this.name = 'UnusablePatch';
  }
}

async function apply(
  parts: WebhookDependencies,
  { hook, resource }: Invocation,
  attributes: AdmissionAttributes,
  { response, object }: WebhookResult,
): Promise<boolean> {
  const operations = readPatch(response.patch);
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
  if (attributes.scope.growth === 'moves' && measure(patched).weight > mostWeight) throw new GrownWrite();
  if (attributes.kind) replaceContent(target, structured(parts, attributes, patched));
  else replaceContent(target, await stored(parts, { attributes, resource, target }, patched));
  return true;
}

/** Of an object that is gone on with here: a small patch makes a large object by copying, too. */
const mostWeight = 4 * smallBodyBytes;

function readPatch(patch: string): readonly JsonPatchOperation[] {
  if (patch === '') return [];
  return orUnusable(() => parseJsonPatch(decodeJson(Buffer.from(patch, 'base64')).value));
}

function applied(object: JsonObject, operations: readonly JsonPatchOperation[]): JsonObject {
  const patched: JsonValue = orUnusable(() => applyJsonPatch(object, operations));
  if (isObject(patched)) return patched;
  throw new UnusablePatch('the patch of the webhook leaves no object');
}

function orUnusable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UnusablePatch(messageOf(error), error);
  }
}

interface Patching {
  readonly attributes: AdmissionAttributes;
  readonly resource: ServedResource;
  readonly target: ApiObject;
}

async function stored(
  { isFeatureEnabled, clock }: WebhookDependencies,
  { attributes: { scope }, resource, target }: Patching,
  patched: JsonObject,
): Promise<JsonObject> {
  const apiVersion = apiVersionOf(resource.gvk);
  if (patched['kind'] !== resource.gvk.kind || patched['apiVersion'] !== apiVersion)
    throw new UnusablePatch(`the patch of the webhook leaves no ${resource.gvk.kind} of ${apiVersion}`);
  const { value, errors } = resource.structure(patched);
  if (errors.length > 0) throw new UnusablePatch(errors.join('; '));
  const { kind: _kind, apiVersion: _version, metadata, ...rest } = value;
  const meta = isObject(metadata) ? metadata : {};
  keepServerFields(meta, target.metadata, scope.resource.namespaced ? scope.namespace : '');
  const whole: JsonObject = { kind: resource.gvk.kind, apiVersion, metadata: meta, ...rest };
  const { naming } = resource;
  const { version } = resource.gvr;
  const { subresource, user } = scope;
  const allowsPrivileged = true;
  resource.applyDefaults(whole, {
    ...{ naming, isFeatureEnabled, allowsPrivileged, now: () => new Date(clock.now()) },
    ...{ subresource, version, user },
  });
  const internal = resource.conversion.toInternal(whole);
  if (resource === scope.resource) return internal;
  return scope.resource.conversion.internalFrom(internal, scope.signal);
}

/** Only the server sets field ownership. @throws StatusError 400 for another namespace */
function keepServerFields(meta: ObjectMeta, { managedFields }: ObjectMeta, namespace: string): void {
  if ((meta.namespace ?? '') !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (managedFields === undefined) delete meta.managedFields;
  else meta.managedFields = managedFields;
}

/** A body that is no object of the resource (`Eviction`), or one that is not stored (`Binding`). */
function structured(
  { isFeatureEnabled }: WebhookDependencies,
  { scope: { resource, subresource } }: AdmissionAttributes,
  patched: JsonObject,
): JsonObject {
  const schema = subresource === '' ? resource.schema : resource.subresourceSchema(subresource);
  if (!schema) return patched;
  const { value, errors } = checkStructure(schema, patched);
  if (errors.length > 0) throw new UnusablePatch(errors.join('; '));
  applyStaticDefaults(schema, value, isFeatureEnabled);
  return value;
}

/** The registry goes on with the object that it handed in. */
function replaceContent(target: ApiObject, content: JsonObject): void {
  const object = asJson(target);
  for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
  for (const [key, value] of Object.entries(content)) if (value !== undefined) setOwn(object, key, value);
}
