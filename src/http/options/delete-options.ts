/**
 * DeleteOptions from the body or the query; where both say something, the body counts. What becomes of dependents is
 * one thing that can be said in two ways: a body that says it in either leaves nothing to the query.
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, notSupported } from '../../meta/field-error.ts';
import { parseApiVersion } from '../../meta/gvk.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { badRequest } from '../../meta/status.ts';
import type { DeleteOptions } from '../../registry/types.ts';
import type { RequestContext } from '../context.ts';
import { decodeObjectBody } from '../object-body.ts';
import { assertNoFaults, dryRunFaults } from './write-options.ts';

export interface ParsedDelete {
  readonly options: DeleteOptions;
  readonly dryRun: boolean;
}

const kind = 'DeleteOptions';
const policies = ['Background', 'Foreground', 'Orphan'] as const;

/** @throws StatusError 400 (malformed), 415, 422 (values that do not exist or contradict) */
export async function parseDeleteOptions(
  context: RequestContext,
  bytes: Buffer,
  naming: NamingProfile,
): Promise<ParsedDelete> {
  const body = bytes.length === 0 ? {} : await decodeObjectBody(context, bytes, { naming });
  assertTypeMeta(context, body);
  const sent = mergeQuery(body, context);
  assertNoFaults(kind, naming, faultsOf(sent));
  return { options: optionsOf(sent), dryRun: listOf(sent, 'dryRun').length > 0 };
}

/** Options may be of any group version that is served, as clients write them. @throws StatusError 400 */
function assertTypeMeta({ phase }: RequestContext, body: JsonObject): void {
  const sentKind = getOwn(body, 'kind') ?? '';
  const apiVersion = getOwn(body, 'apiVersion') ?? '';
  if (sentKind !== '' && sentKind !== kind) {
    throw badRequest(`the body of a delete must be ${kind}, not ${quoted(sentKind)}`);
  }
  const { types } = phase;
  if (apiVersion === '' || !types) return;
  const isVersion = typeof apiVersion === 'string' && parseApiVersion(apiVersion) !== undefined;
  if (!isVersion || !types.find(apiVersion, kind)) {
    throw badRequest(`no kind "${kind}" is registered for version ${quoted(apiVersion)}`);
  }
}

/** Query parameters fill what the body leaves out. */
function mergeQuery(body: JsonObject, { query }: RequestContext): JsonObject {
  if (query.text === '') return body;
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const isSettled = (body['propagationPolicy'] ?? body['orphanDependents'] ?? null) !== null;
  return {
    ...(query.has('dryRun') && { dryRun: [...query.all('dryRun')] }),
    ...(grace !== '' && { gracePeriodSeconds: integerOf(grace) }),
    ...(!isSettled && policy !== '' && { propagationPolicy: policy }),
    ...(!isSettled && query.has('orphanDependents') && { orphanDependents: query.flag('orphanDependents') }),
    ...body,
  };
}

function integerOf(text: string): number {
  if (/^[-+]?[0-9]{1,15}$/.test(text)) return Number(text);
  throw badRequest(`invalid query parameter gracePeriodSeconds: ${quoted(text)} is not an integer`);
}

function faultsOf(sent: JsonObject): FieldError[] {
  const faults = dryRunFaults(listOf(sent, 'dryRun'));
  const policy = getOwn(sent, 'propagationPolicy') ?? null;
  if (policy !== null && !policies.some((p) => p === policy)) {
    faults.push(notSupported('propagationPolicy', policy, policies));
  }
  if (policy !== null && (getOwn(sent, 'orphanDependents') ?? null) !== null) {
    faults.push(
      invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  return faults;
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

/** A member of the right type; null counts as missing. @throws StatusError 400 */
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
