/** Decodes the body of a write to a checked and defaulted object of the internal version. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { quoted, shortText } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { ApiObject, ObjectMeta } from '../../meta/object.ts';
import { asApiObject, asJson } from '../../meta/object.ts';
import { badRequest } from '../../meta/status.ts';
import type { ApiContext } from '../../api/types.ts';
import { checkEnums } from '../../schema/enum-check.ts';
import { checkDeclared } from '../../api/validation/declared-rules.ts';
import { assertUsable, type Refuse } from './field-validation.ts';
import type { RequestScope, ServedResource } from '../types.ts';

/**
 * The sent object in the requested version: structure checked, unknown fields dropped, defaults applied.
 * @throws StatusError 400, 422; for values of a wrong type, the error of `refuse`
 */
export function decodeObject(
  scope: RequestScope,
  body: JsonObject,
  context: ApiContext,
  refuse?: Refuse,
): ApiObject {
  const { resource } = scope;
  assertTypeMeta(resource, body);
  const { value, ...found } = resource.structure(body);
  assertUsable(scope, resource.gvk, found, refuse);
  const object = withTypeMeta(resource, value);
  resource.applyDefaults(object, context);
  return asApiObject(object);
}

/** Kind and apiVersion may be missing, but must match the path. */
function assertTypeMeta(resource: ServedResource, body: JsonObject): void {
  const expected = apiVersionOf(resource.gvk);
  const kind = body['kind'] ?? '';
  const apiVersion = body['apiVersion'] ?? '';
  if (kind !== '' && kind !== resource.gvk.kind) {
    throw badRequest(
      `the kind of the object (${show(kind)}) does not match the kind of the request (${resource.gvk.kind})`,
    );
  }
  if (apiVersion !== '' && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${show(apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
}

function show(value: JsonValue): string {
  return typeof value === 'string' ? shortText(value) : quoted(value);
}

function withTypeMeta(resource: ServedResource, value: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = value;
  const head = { kind: resource.gvk.kind, apiVersion: apiVersionOf(resource.gvk) };
  return { ...head, metadata: isObject(metadata) ? metadata : {}, ...rest };
}

/**
 * Errors by what the catalogue states of fields (values, rules) in an object of the storage version, reported with those
 * of its validation.
 * @param stored the previous object: shared parts are not checked again
 */
export function statedErrors(resource: ServedResource, object: ApiObject, stored?: ApiObject): FieldError[] {
  const { schema } = resource.storage;
  const [next, known, path] = [asJson(object), stored && asJson(stored), FieldPath.of('')];
  return [...checkEnums(schema, next, path, known), ...checkDeclared(schema, next, path, known)];
}

/** The name for messages, before a generated one is known. */
export function nameOf(metadata: ObjectMeta): string {
  return metadata.name ?? '';
}

/** An object of the request's version in the internal version. May mutate its argument. */
export function toInternalVersion({ conversion }: ServedResource, object: ApiObject): ApiObject {
  return asApiObject(conversion.toInternal(asJson(object)));
}
