/** Validates DeleteOptions of a delete or an eviction. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import { dryRunErrors } from '../../meta/dry-run.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, notSupported } from '../../meta/field-error.ts';
import { metaGroup, type NamingProfile } from '../../meta/naming.ts';
import { badRequest, invalidObject } from '../../meta/status.ts';
import type { DeleteOptions } from '../types.ts';

export interface SentDeletion {
  readonly options: DeleteOptions;
  readonly dryRun: boolean;
}

const kind = 'DeleteOptions';
const policies = ['Background', 'Foreground', 'Orphan'] as const;

/** @throws StatusError 400 (wrong types, unknown dryRun), 422 (unknown or contradictory values) */
export function readDeleteOptions(sent: JsonObject, naming: NamingProfile): SentDeletion {
  const errors = errorsIn(sent);
  if (errors.length > 0) throw invalidObject({ group: metaGroup(naming), kind }, '', errors);
  return { options: optionsOf(sent), dryRun: listOf(sent, 'dryRun').length > 0 };
}

function errorsIn(sent: JsonObject): FieldError[] {
  const errors = dryRunErrors(listOf(sent, 'dryRun'));
  const policy = getOwn(sent, 'propagationPolicy') ?? null;
  if (policy !== null && !policies.some((p) => p === policy)) {
    errors.push(notSupported('propagationPolicy', policy, policies));
  }
  if (policy !== null && (getOwn(sent, 'orphanDependents') ?? null) !== null) {
    errors.push(
      invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  return errors;
}

function optionsOf(sent: JsonObject): DeleteOptions {
  const grace = typed(sent, 'gracePeriodSeconds', Number.isSafeInteger, 'an integer');
  const orphan = typed(sent, 'orphanDependents', (v) => typeof v === 'boolean', 'a boolean');
  const policy = getOwn(sent, 'propagationPolicy');
  return {
    gracePeriodSeconds: grace as number | undefined,
    orphanDependents: orphan as boolean | undefined,
    propagationPolicy: policies.find((p) => p === policy),
    preconditions: preconditionsOf(
      typed(sent, 'preconditions', isObject, 'an object') as JsonObject | undefined,
    ),
  };
}

function preconditionsOf(sent: JsonObject | undefined): DeleteOptions['preconditions'] {
  if (!sent) return undefined;
  const isString = (value: unknown): boolean => typeof value === 'string';
  const uid = typed(sent, 'uid', isString, 'a string') as string | undefined;
  const resourceVersion = typed(sent, 'resourceVersion', isString, 'a string') as string | undefined;
  return { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
}

function listOf(sent: JsonObject, name: string): readonly JsonValue[] {
  return (typed(sent, name, Array.isArray, 'a list') ?? []) as readonly JsonValue[];
}

/**
 * A member of the given type; null counts as missing.
 * @throws StatusError 400
 */
function typed(
  sent: JsonObject,
  name: string,
  isRight: (value: unknown) => boolean,
  wanted: string,
): JsonValue | undefined {
  const value = getOwn(sent, name) ?? undefined;
  if (value !== undefined && !isRight(value)) throw badRequest(`${kind}: ${name} must be ${wanted}`);
  return value;
}
