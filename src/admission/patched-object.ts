/** What a patch of admission makes of an object: decoded again, with defaults, and back in the form that is stored. */
import type { Clock } from '../base/clock.ts';
import { isObject, setOwn, type JsonObject } from '../base/json.ts';
import { measure } from '../base/measure.ts';
import { smallBodyBytes } from '../codec/limits.ts';
import { apiVersionOf } from '../meta/gvk.ts';
import { GrownWrite } from '../meta/grown-write.ts';
import { asJson, type ApiObject, type ObjectMeta } from '../meta/object.ts';
import { badRequest } from '../meta/status.ts';
import { PatchError } from '../patch/patch-error.ts';
import type { AdmissionAttributes, ServedResource } from '../registry/types.ts';
import { applyStaticDefaults } from '../schema/static-defaults.ts';
import { checkStructure } from '../schema/structure.ts';
import type { StructSchema } from '../schema/types.ts';

/** The patch leaves no object of the kind. */
export class UnusablePatch extends Error {
  constructor(problem: string, cause?: unknown) {
    super(problem, { cause });
    this.name = 'UnusablePatch';
  }
}

export interface PatchedParts {
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly clock: Pick<Clock, 'now'>;
}

/** Of an object that is gone on with in the serving thread: a small patch makes a large object by copying, too. */
export const mostServedWeight = 4 * smallBodyBytes;

/**
 * What is told of the weight that a JSON patch copies: a few operations that double an object copy megabytes. undefined: the
 * limit of patches is enough, as in a write thread.
 * @throws (by what it gives) GrownWrite where the write can move, PatchError where it cannot
 */
export function copyLimit({ growth }: AdmissionAttributes['scope']): ((copied: number) => void) | undefined {
  if (growth === 'stays') return undefined;
  return (copied) => {
    if (copied <= smallBodyBytes) return;
    if (growth === 'moves') throw new GrownWrite();
    throw new PatchError('tooLarge', 'the patch copies more than is allowed');
  };
}

/**
 * The write goes on with the patched object, in place of its own.
 * @throws GrownWrite; UnusablePatch; StatusError 400 for another namespace
 */
export async function takePatched(
  parts: PatchedParts,
  patching: Patching,
  patched: JsonObject,
): Promise<void> {
  const { attributes, target } = patching;
  if (attributes.scope.growth === 'moves' && measure(patched).weight > mostServedWeight)
    throw new GrownWrite();
  if (attributes.kind) replaceContent(target, structured(parts, attributes, patched));
  else replaceContent(target, await stored(parts, patching, patched));
}

/** The schema of what is patched; undefined for a body that has none. */
export function patchedSchema(
  { kind, scope: { subresource } }: AdmissionAttributes,
  resource: ServedResource,
): StructSchema | undefined {
  return kind && subresource !== '' ? resource.subresourceSchema(subresource) : resource.schema;
}

/** What is patched: `target` in the form that is stored, the patch in the version of `resource`. */
export interface Patching {
  readonly attributes: AdmissionAttributes;
  readonly resource: ServedResource;
  readonly target: ApiObject;
}

async function stored(
  { isFeatureEnabled, clock }: PatchedParts,
  { attributes: { scope }, resource, target }: Patching,
  patched: JsonObject,
): Promise<JsonObject> {
  const apiVersion = apiVersionOf(resource.gvk);
  if (patched['kind'] !== resource.gvk.kind || patched['apiVersion'] !== apiVersion)
    throw new UnusablePatch(`the patch leaves no ${resource.gvk.kind} of ${apiVersion}`);
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
  { isFeatureEnabled }: PatchedParts,
  attributes: AdmissionAttributes,
  patched: JsonObject,
): JsonObject {
  const schema = patchedSchema(attributes, attributes.scope.resource);
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
