/** AdmissionReview as exchanged with a webhook: the request and the response. */
import { isObject, setOwn, textOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { quoted, shortText } from '../../base/short-text.ts';
import { assertTypes, isFlag, isMapOf, isText, isTexts, type AnswerType } from '../../meta/answer-types.ts';
import { isAnswerOf } from '../../meta/gvk.ts';
import { metaGroup, type NamingProfile } from '../../meta/naming.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { AdmissionAttributes, RequestScope, ServedResource } from '../../registry/types.ts';
import type { ReviewVersion } from './webhook-configuration.ts';
import { namespaceOf } from './match-rules.ts';

export interface AdmissionReviewRequest {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly attributes: AdmissionAttributes;
  /** The version that the webhook sees the write in. */
  readonly resource: ServedResource;
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
}

/** The review that is sent. */
export function createAdmissionReview(review: AdmissionReviewRequest): JsonObject {
  const { attributes, resource, version, uid, object, oldObject } = review;
  const { dryRun, options, ...request } = requestOf(attributes, resource);
  return {
    kind: 'AdmissionReview',
    apiVersion: reviewApiVersion(attributes.scope.resource.naming, version),
    request: { uid, ...request, object, oldObject, dryRun, options },
  };
}

/** The request of a review without its uid and the objects, as expressions see it. */
export function requestOf(attributes: AdmissionAttributes, resource: ServedResource): JsonObject {
  const { scope } = attributes;
  const requested = scope.resource;
  const { subresource } = scope;
  return {
    kind: { ...(attributes.kind ?? resource.gvk) },
    resource: { ...resource.gvr },
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: { ...(attributes.kind ?? requested.gvk) },
    requestResource: { ...requested.gvr },
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...withText('name', attributes.name),
    ...withText('namespace', namespaceOf(attributes)),
    operation: attributes.operation,
    userInfo: userInfo(scope.user),
    dryRun: scope.dryRun,
    options: optionsOf(attributes),
  };
}

function reviewApiVersion(naming: NamingProfile, version: ReviewVersion): string {
  return `admission.${naming.apiDomain}/${version}`;
}

function withText(name: string, text: string): JsonObject {
  return text === '' ? {} : { [name]: text };
}

function userInfo({ name, uid, groups, extra }: UserInfo): JsonObject {
  const copy: JsonObject = {};
  for (const [key, values] of Object.entries(extra)) setOwn(copy, key, [...values]);
  return {
    ...withText('username', name),
    ...withText('uid', uid),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(copy).length > 0 && { extra: copy }),
  };
}

const optionKinds: Readonly<Partial<Record<AdmissionAttributes['operation'], string>>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
};

/** Connections have their options as object. */
function optionsOf({ operation, scope, options }: AdmissionAttributes): JsonObject | null {
  const kind = optionKinds[operation];
  if (kind === undefined) return null;
  return { kind, apiVersion: `${metaGroup(scope.resource.naming)}/v1`, ...sharedOptions(scope), ...options };
}

function sharedOptions({ dryRun, fieldManager }: RequestScope): JsonObject {
  return { ...(dryRun && { dryRun: ['All'] }), ...withText('fieldManager', fieldManager) };
}

/** The webhook's response, once it is valid. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** Status of a rejection, as sent. */
  readonly status: JsonValue | undefined;
  /** Base64 of a JSON patch; '' for none. */
  readonly patch: string;
  readonly warnings: readonly string[];
  readonly annotations: ReadonlyMap<string, string>;
}

/** @throws Error that says what is wrong with the answer */
export function readAdmissionResponse(
  answer: JsonObject,
  request: AdmissionReviewRequest,
  mayPatch: boolean,
): AdmissionResponse {
  const { response } = answer;
  if (!isObject(response)) throw new Error('webhook response was absent');
  assertTypes(response, 'response', types);
  const patch = patchOf(response);
  assertHead(answer, request);
  if (request.version === 'v1') assertUid(response, request);
  assertPatchAllowed(response, patch, { mayPatch, isFormal: request.version === 'v1' });
  return {
    allowed: response['allowed'] === true,
    status: response['status'],
    patch: mayPatch ? patch : '',
    warnings: textsOf(response['warnings']),
    annotations: annotationsOf(response['auditAnnotations']),
  };
}

const types: Readonly<Record<string, AnswerType>> = {
  allowed: isFlag,
  uid: isText,
  patchType: isText,
  status: isObject,
  warnings: isTexts,
  auditAnnotations: isMapOf(isText),
};

/** Node skips what is no base64, and would apply a patch that nobody meant. @throws Error */
function patchOf(response: JsonObject): string {
  const patch = response['patch'] ?? '';
  if (typeof patch === 'string' && isBase64(patch)) return patch;
  throw new Error('response.patch is not in base64');
}

/** With padding; lines may be broken, as encoding/base64 of Go allows. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/\r\n]*(?:=[\r\n]*){0,2}$/.test(text) && text.replace(/[\r\n]+/g, '').length % 4 === 0;
}

/** Responses of v1 name their kind; those of v1beta1 may leave it out, but not have another. */
function assertHead(answer: JsonObject, { attributes, version }: AdmissionReviewRequest): void {
  const apiVersion = reviewApiVersion(attributes.scope.resource.naming, version);
  const kind = 'AdmissionReview';
  const isNamed = answer['apiVersion'] !== undefined && answer['kind'] !== undefined;
  if (isAnswerOf(answer, { apiVersion, kind }) && (isNamed || version !== 'v1')) return;
  const got = shortText(`${textOf(answer['apiVersion'])}, Kind=${textOf(answer['kind'])}`);
  throw new Error(`expected webhook response of ${apiVersion}, Kind=${kind}, got ${got}`);
}

/** Responses of v1 name the uid of the request. */
function assertUid(response: JsonObject, request: AdmissionReviewRequest): void {
  const uid = textOf(response['uid']);
  if (uid !== request.uid)
    throw new Error(`expected response.uid=${JSON.stringify(request.uid)}, got ${quoted(uid)}`);
}

function assertPatchAllowed(
  response: JsonObject,
  patch: string,
  { mayPatch, isFormal }: { readonly mayPatch: boolean; readonly isFormal: boolean },
): void {
  const type = response['patchType'] ?? undefined;
  if (!isFormal) return;
  if (!mayPatch) {
    if (patch !== '') throw new Error('validating webhook may not return response.patch');
    if (type !== undefined) throw new Error('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && type === undefined)
    throw new Error('webhook returned response.patch but not response.patchType');
  if (patch === '' && type !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch');
  if (type !== undefined && type !== 'JSONPatch')
    throw new Error(`webhook returned invalid response.patchType of ${quoted(type)}`);
}

/** Of the warnings and of the annotations for the audit log: as many as a request keeps of the latter in all. */
const mostTexts = 256;

function textsOf(value: JsonValue | undefined): string[] {
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  return texts.slice(0, mostTexts);
}

function annotationsOf(value: JsonValue | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, text] of Object.entries(isObject(value) ? value : {}).slice(0, mostTexts))
    if (typeof text === 'string') texts.set(key, text);
  return texts;
}
