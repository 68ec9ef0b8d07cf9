/** Validation of applied configurations, and their errors. */
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { asApiObject } from '../../meta/object.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../../meta/status.ts';
import { ApplyConflictError } from '../../patch/apply/conflict.ts';
import { PatchError } from '../../patch/patch-error.ts';
import type { StructureResult } from '../../schema/structure.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { isOwnershipTracked } from './field-ownership.ts';
import { agreeWithPath } from './object-meta.ts';
import type { RequestScope } from '../types.ts';

const otherPatchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** @throws StatusError 415 if the feature gate is disabled */
export function assertMayApply(deps: RegistryDeps): void {
  if (!isOwnershipTracked(deps)) throw unsupportedMediaType(otherPatchTypes);
}

/** The required kind of a configuration. */
export interface AppliedKind {
  readonly gvk: GroupVersionKind;
  structure(body: JsonObject): StructureResult;
}

export interface SentConfiguration {
  /** Name in the path. */
  readonly name: string;
  /** The body as sent. */
  readonly configuration: JsonObject;
}

/**
 * The body decoded by its schema, with the name of the path if it has none.
 * @throws StatusError 400
 */
export function appliedForm(
  scope: RequestScope,
  kind: AppliedKind,
  { name, configuration }: SentConfiguration,
): JsonObject {
  assertTypeMeta(kind, configuration);
  const { value, errors, unknown } = kind.structure(configuration);
  const problems = [...errors, ...unknown.map((path) => `${path}: field not declared in schema`)];
  if (problems.length > 0) throw badRequest(`${kind.gvk.kind} cannot be applied: ${problems.join('; ')}`);
  const object = { ...value, metadata: isObject(value['metadata']) ? value['metadata'] : {} };
  const { metadata } = asApiObject(object);
  if (metadata.managedFields) throw badRequest('metadata.managedFields must be nil');
  if ((metadata.name ?? '') === '') metadata.name = name;
  agreeWithPath(scope, name, metadata);
  return object;
}

function assertTypeMeta({ gvk }: AppliedKind, { kind, apiVersion }: JsonObject): void {
  if (kind !== gvk.kind) {
    throw badRequest(`an applied configuration must name its kind, which is ${gvk.kind} here`);
  }
  const expected = apiVersionOf(gvk);
  if (apiVersion !== expected) {
    const specified = typeof apiVersion === 'string' ? apiVersion : '';
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${shortText(specified)}, expected: ${expected}`,
    );
  }
}

/** Runs a part of an apply and translates its errors to a Status. Throws or rejects as `work` does. */
export function withApplyErrors<T>(work: () => T): T {
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(rethrown) as T) : result;
  } catch (error) {
    return rethrown(error);
  }
}

function rethrown(error: unknown): never {
  if (error instanceof ApplyConflictError) {
    const causes = error.conflicts.map((c) => ({ reason: 'FieldManagerConflict', ...c }));
    throw new StatusError(409, 'Conflict', error.message, { details: { causes } });
  }
  if (!(error instanceof PatchError)) throw error;
  throw new StatusError(422, 'Invalid', `the configuration cannot be applied: ${error.message}`);
}
