/**
 * DeleteOptions of a request, from the body or the query; the body takes precedence. The treatment of dependents can
 * be given in two fields: if the body has either, the query is ignored for both.
 */
import type { JsonObject } from '../../base/json.ts';
import { getOwn } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import { parseApiVersion } from '../../meta/gvk.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { badRequest } from '../../meta/status.ts';
import { readDeleteOptions, type SentDeletion } from '../../registry/write/validate-delete-options.ts';
import { readBody, servedLimits, type BodyLimits } from '../body.ts';
import type { RequestContext } from '../request-context.ts';
import { decodeObjectBody } from '../object-body.ts';
import { assertTakesDryRun, type OptionsParts } from './write-options.ts';

const kind = 'DeleteOptions';

/**
 * Reads them from body and query. The serving thread decodes them, so that a body is small; no options need more.
 * @throws StatusError 408, 413, and as `parseDeleteOptions`
 */
export async function readDeletion(
  context: RequestContext,
  { bodyLimits, naming, writeRules }: OptionsParts & { readonly bodyLimits: BodyLimits },
): Promise<SentDeletion> {
  assertTakesDryRun(context, writeRules);
  return parseDeleteOptions(context, await readBody(context, servedLimits(context, bodyLimits)), naming);
}

/** @throws StatusError 400 (malformed), 415, 422 (values that do not exist or contradict) */
function parseDeleteOptions(context: RequestContext, bytes: Buffer, naming: NamingProfile): SentDeletion {
  const body = bytes.length === 0 ? preconditionsIn(context) : decodedBody(context, bytes, naming);
  assertTypeMeta(context, body);
  return readDeleteOptions(mergeQuery(body, context), naming);
}

function decodedBody(
  { req, resource, phase }: RequestContext,
  bytes: Buffer,
  naming: NamingProfile,
): JsonObject {
  const contentType = req.headers['content-type'];
  const expected = { apiVersion: 'v1', kind };
  return decodeObjectBody(bytes, { contentType, naming, resource, types: phase.types, expected });
}

/**
 * Options may have any served group version.
 * @throws StatusError 400
 */
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

/**
 * Without a body `uid` and `resourceVersion` of the query are preconditions (as in kube-apiserver, where they are among
 * the conversions of DeleteOptions); of a collection the second says which state is listed.
 */
function preconditionsIn({ query, info }: RequestContext): JsonObject {
  const sent = info.name === '' ? [] : ['uid', 'resourceVersion'].filter((word) => query.get(word) !== '');
  if (sent.length === 0) return {};
  return { preconditions: Object.fromEntries(sent.map((word) => [word, query.get(word)])) };
}

/** Query parameters supplement the body. */
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
