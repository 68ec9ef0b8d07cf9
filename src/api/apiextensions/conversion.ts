/** Definitions of v1beta1: what holds for all versions may be said once, and columns and webhooks are called otherwise. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, deepEqual, isObject } from '../../base/json.ts';
import { measure } from '../../base/measure.ts';
import { StatusError } from '../../meta/status.ts';

/** Field of a version → the field that says it for all versions. */
const shared = {
  schema: 'validation',
  subresources: 'subresources',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
} as const;
const sharedFields = Object.entries(shared);
/** As large as any stored object may be, in about as many bytes as JSON needs. */
const maxCopiedWeight = 8 * 1024 * 1024;

/** v1beta1 → v1. */
export function definitionToStorage(object: JsonObject): JsonObject {
  const { spec } = object;
  if (!isObject(spec)) return object;
  const { version, preserveUnknownFields, conversion, ...rest } = spec;
  const said = sharedFields.filter(([, top]) => rest[top] !== undefined);
  const listed = versionsOf(rest['versions'], version);
  assertCopiesFit(spec, listed.length);
  const versions = listed.map((own) => {
    const next = { ...own };
    for (const [field, top] of said) next[field] ??= deepCopy(rest[top] ?? null);
    return withColumns(next, 'JSONPath', 'jsonPath');
  });
  for (const [, top] of sharedFields) Reflect.deleteProperty(rest, top);
  object['spec'] = {
    ...rest,
    ...(versions.length > 0 && { versions }),
    ...(isObject(conversion) && { conversion: conversionToStorage(conversion) }),
    ...(preserveUnknownFields === true && { preserveUnknownFields }),
  };
  return object;
}

/** v1 → v1beta1. What all versions have in common is said once. */
export function definitionFromStorage(object: JsonObject): JsonObject {
  const { spec } = object;
  if (!isObject(spec)) return object;
  const { conversion, preserveUnknownFields, ...rest } = spec;
  const versions = objectsIn(rest['versions']).map((own) => withColumns({ ...own }, 'jsonPath', 'JSONPath'));
  const [first] = versions;
  const common: JsonObject = {};
  for (const [field, top] of sharedFields) {
    const value = first?.[field];
    if (value === undefined || !versions.every((own) => deepEqual(own[field], value))) continue;
    common[top] = value;
    for (const own of versions) Reflect.deleteProperty(own, field);
  }
  object['spec'] = {
    ...rest,
    ...common,
    ...(first && { version: first['name'] ?? '' }),
    versions,
    ...(isObject(conversion) && { conversion: conversionFromStorage(conversion) }),
    preserveUnknownFields: preserveUnknownFields === true,
  };
  return object;
}

/**
 * What is made to store a spec of v1beta1, in about as many bytes as JSON needs: what is said once is copied into each of
 * several versions. 0 where nothing is copied.
 */
export function weightOfCopies(spec: JsonObject, copies: number): number {
  if (copies < 2) return 0;
  return copies * sharedFields.reduce((sum, [, top]) => sum + weightOf(spec[top]), 0);
}

function weightOf(value: JsonValue | undefined): number {
  return value === undefined ? 0 : measure(value).weight;
}

/** There may be thousands of versions. @throws StatusError 413 */
function assertCopiesFit(spec: JsonObject, copies: number): void {
  if (weightOfCopies(spec, copies) <= maxCopiedWeight) return;
  throw new StatusError(
    413,
    'RequestEntityTooLarge',
    `the request is too large: what spec says for all ${String(copies)} versions makes more than ${String(maxCopiedWeight)} bytes; say it in the versions that need it`,
  );
}

/** A definition may name its only version. */
function versionsOf(versions: JsonValue | undefined, version: JsonValue | undefined): JsonObject[] {
  const listed = objectsIn(versions);
  if (listed.length > 0 || typeof version !== 'string' || version === '') return listed;
  return [{ name: version, served: true, storage: true }];
}

function withColumns(version: JsonObject, from: string, to: string): JsonObject {
  const columns = version['additionalPrinterColumns'];
  if (!Array.isArray(columns)) return version;
  version['additionalPrinterColumns'] = columns.filter(isObject).map(({ [from]: path, ...column }) => ({
    ...column,
    ...(path !== undefined && { [to]: path }),
  }));
  return version;
}

function conversionToStorage({
  webhookClientConfig,
  conversionReviewVersions,
  ...rest
}: JsonObject): JsonObject {
  const webhook: JsonObject = {
    ...(webhookClientConfig !== undefined && { clientConfig: webhookClientConfig }),
    ...(conversionReviewVersions !== undefined && { conversionReviewVersions }),
  };
  return { ...rest, ...(Object.keys(webhook).length > 0 && { webhook }) };
}

function conversionFromStorage({ webhook, ...rest }: JsonObject): JsonObject {
  if (!isObject(webhook)) return rest;
  const { clientConfig, conversionReviewVersions } = webhook;
  return {
    ...rest,
    ...(clientConfig !== undefined && { webhookClientConfig: clientConfig }),
    ...(conversionReviewVersions !== undefined && { conversionReviewVersions }),
  };
}

function objectsIn(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
