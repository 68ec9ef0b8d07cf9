/** AdmissionReview as it is exchanged with a webhook: the question, and what an answer may say. */
import { isObject, setOwn, textOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import { metaGroup, type NamingProfile } from '../../meta/naming.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { AdmissionAttributes, RequestScope, ServedResource } from '../../registry/types.ts';
import type { ReviewVersion } from './hook.ts';
import { namespaceOf } from './match.ts';

export interface Question {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly attributes: AdmissionAttributes;
  /** The version that the webhook sees the write in. */
  readonly resource: ServedResource;
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
}

/** The review that is sent. */
export function askingReview(question: Question): JsonObject {
  const { attributes, resource, version } = question;
  const { scope } = attributes;
  const asked = scope.resource;
  const { subresource } = scope;
  return {
    kind: 'AdmissionReview',
    apiVersion: reviewApiVersion(asked.naming, version),
    request: {
      uid: question.uid,
      kind: { ...(attributes.kind ?? resource.gvk) },
      resource: { ...resource.gvr },
      ...(subresource !== '' && { subResource: subresource }),
      requestKind: { ...(attributes.kind ?? asked.gvk) },
      requestResource: { ...asked.gvr },
      ...(subresource !== '' && { requestSubResource: subresource }),
      ...withText('name', attributes.name),
      ...withText('namespace', namespaceOf(attributes)),
      operation: attributes.operation,
      userInfo: userInfo(scope.user),
      object: question.object,
      oldObject: question.oldObject,
      dryRun: scope.dryRun,
      options: optionsOf(attributes),
    },
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

/** What a webhook answered, once it is known to be an answer. */
export interface Verdict {
  readonly allowed: boolean;
  /** Status of a refusal, as sent. */
  readonly status: JsonValue | undefined;
  /** Base64 of a JSON patch; '' for none. */
  readonly patch: string;
  readonly warnings: readonly string[];
  readonly annotations: ReadonlyMap<string, string>;
}

/** @throws Error that says what is wrong with the answer */
export function readVerdict(answer: JsonObject, question: Question, mayPatch: boolean): Verdict {
  const { response } = answer;
  if (!isObject(response)) throw new Error('webhook response was absent');
  const patch = textOf(response['patch']);
  if (question.version === 'v1') assertFormal(answer, response, question);
  assertPatchAllowed(response, patch, { mayPatch, isFormal: question.version === 'v1' });
  return {
    allowed: response['allowed'] === true,
    status: response['status'],
    patch: mayPatch ? patch : '',
    warnings: textsOf(response['warnings']),
    annotations: annotationsOf(response['auditAnnotations']),
  };
}

/** Answers of v1 say what they are and which question they answer. */
function assertFormal(answer: JsonObject, response: JsonObject, question: Question): void {
  const { naming } = question.attributes.scope.resource;
  const uid = textOf(response['uid']);
  if (uid !== question.uid)
    throw new Error(`expected response.uid=${JSON.stringify(question.uid)}, got ${quoted(uid)}`);
  const expected = `${reviewApiVersion(naming, question.version)}, Kind=AdmissionReview`;
  const got = `${textOf(answer['apiVersion'])}, Kind=${textOf(answer['kind'])}`;
  if (got !== expected) throw new Error(`expected webhook response of ${expected}, got ${got}`);
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

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function annotationsOf(value: JsonValue | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, text] of Object.entries(isObject(value) ? value : {}))
    if (typeof text === 'string') texts.set(key, text);
  return texts;
}
