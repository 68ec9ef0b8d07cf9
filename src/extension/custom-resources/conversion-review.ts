/** ConversionReview requests and responses (v1 and v1beta1). */
import { validateAnnotations, validateAnnotationsSize, validateLabels } from '../../api/validation/labels.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject, setOwn, textOf } from '../../base/json.ts';
import { quoted, shortText } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { isAnswerOf } from '../../meta/gvk.ts';
import type { NamingProfile } from '../../meta/naming.ts';

const kind = 'ConversionReview';
/** Characters of what a webhook says about its failure, which goes to clients and the log. */
const longestReason = 2_000;

/** Supported versions of ConversionReview. */
export type ReviewVersion = 'v1' | 'v1beta1';

export interface ConversionQuestion {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly naming: NamingProfile;
  /** Desired group and version of the objects. */
  readonly desired: string;
  /** Not modified, as the response is compared with them. */
  readonly objects: readonly JsonObject[];
}

/** The first supported version of those in the definition. */
export function reviewVersionOf(versions: readonly string[] | null | undefined): ReviewVersion | undefined {
  return (versions ?? []).find((version) => version === 'v1' || version === 'v1beta1');
}

/** The review request. */
export function newConversionReview(question: ConversionQuestion): JsonObject {
  const { uid, desired, objects } = question;
  return {
    kind,
    apiVersion: reviewApiVersion(question),
    request: { uid, desiredAPIVersion: desired, objects: [...objects] },
  };
}

function reviewApiVersion({ naming, version }: ConversionQuestion): string {
  return `apiextensions.${naming.apiDomain}/${version}`;
}

/**
 * The converted objects, in the order of the request, in steps.
 * @throws Error that describes the invalid response
 */
export function* convertedInSteps(
  answer: JsonObject,
  question: ConversionQuestion,
): Generator<void, JsonObject[], void> {
  const response = responseOf(answer, question);
  const { convertedObjects: converted } = response;
  const objects = Array.isArray(converted) ? converted : [];
  const expected = question.objects.length;
  if (objects.length !== expected)
    throw new Error(`it returned ${String(objects.length)} objects, expected ${String(expected)}`);
  const all: JsonObject[] = [];
  for (const [i, asked] of question.objects.entries()) {
    try {
      all.push(yield* checked(asked, objects[i] ?? null, question.desired));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw new Error(`it returned an invalid object at index ${String(i)}: ${problem}`, { cause: error });
    }
    yield;
  }
  return all;
}

/**
 * Responses of v1 must have apiVersion, kind and the uid of the request; those of v1beta1 may leave them out, but not have
 * another apiVersion or kind.
 */
function responseOf(answer: JsonObject, question: ConversionQuestion): JsonObject {
  const { response } = answer;
  const apiVersion = reviewApiVersion(question);
  const isNamed = answer['apiVersion'] !== undefined && answer['kind'] !== undefined;
  if (!isAnswerOf(answer, { apiVersion, kind }) || (!isNamed && question.version === 'v1')) {
    const got = shortText(`${textOf(answer['apiVersion'])}, Kind=${textOf(answer['kind'])}`);
    throw new Error(`expected webhook response of ${apiVersion}, Kind=${kind}, got ${got}`);
  }
  if (!isObject(response)) throw new Error('no response provided');
  const uid = textOf(response['uid']);
  if (question.version === 'v1' && uid !== question.uid)
    throw new Error(`expected response.uid=${JSON.stringify(question.uid)}, got ${quoted(uid)}`);
  const result = isObject(response['result']) ? response['result'] : {};
  const status = textOf(result['status']);
  if (status === 'Success') return response;
  const said = shortText(textOf(result['message']), longestReason);
  if (said !== '') throw new Error(said);
  throw new Error(`response.result.status was '${shortText(status)}', expected 'Success'`);
}

/**
 * Checks that immutable fields are unchanged; of the metadata only labels and annotations are taken from the
 * response.
 */
function* checked(
  asked: JsonObject,
  converted: JsonValue,
  desired: string,
): Generator<void, JsonObject, void> {
  if (!isObject(converted)) throw new Error('it is no object');
  const { apiVersion, kind, metadata } = converted;
  if (apiVersion !== desired)
    throw new Error(`invalid groupVersion (expected ${desired}, received ${shown(apiVersion)})`);
  if (kind !== asked['kind'])
    throw new Error(`must have the same kind: ${shown(asked['kind'])} != ${shown(kind)}`);
  if (!isObject(metadata)) throw new Error('its metadata is missing or no object');
  const before = isObject(asked['metadata']) ? asked['metadata'] : {};
  for (const field of ['name', 'namespace', 'uid']) {
    const [was, is] = [before[field] ?? '', metadata[field] ?? ''];
    if (was !== is) throw new Error(`must have the same ${field}: ${shown(was)} != ${shown(is)}`);
  }
  return { ...converted, metadata: yield* restored(before, metadata) };
}

function shown(value: JsonValue | undefined): string {
  return quoted(value ?? '');
}

function* restored(before: JsonObject, converted: JsonObject): Generator<void, JsonObject, void> {
  const { labels: _labels, annotations: _annotations, ...kept } = before;
  const metadata: JsonObject = kept;
  for (const field of fields) {
    const texts = yield* textsOf(converted[field.name], field);
    if (texts) metadata[field.name] = texts;
  }
  return metadata;
}

type Texts = Record<string, string>;

/** A map of the metadata that a webhook may change. */
interface TextField {
  readonly name: string;
  readonly validate: (texts: Texts, path: FieldPath) => FieldError[];
  /** Of all of them together. */
  readonly validateSize?: (texts: Texts, path: FieldPath) => FieldError[];
}

const fields: readonly TextField[] = [
  { name: 'labels', validate: validateLabels },
  { name: 'annotations', validate: validateAnnotations, validateSize: validateAnnotationsSize },
];
/** Labels that are checked in half a millisecond; an answer may have a hundred thousand. */
const textsOfStep = 256;

/** A copy as a map of strings; undefined if it is missing or empty. */
function* textsOf(
  value: JsonValue | undefined,
  { name, validate, validateSize }: TextField,
): Generator<void, Texts | undefined, void> {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new Error(`metadata.${name} must be a map of strings`);
  const path = FieldPath.of('metadata').child(name);
  const keys = Object.keys(value);
  const texts: Texts = {};
  for (let at = 0; at < keys.length; at += textsOfStep) {
    const part: Texts = {};
    for (const key of keys.slice(at, at + textsOfStep)) {
      const text = value[key];
      if (typeof text !== 'string') throw new Error(`metadata.${name} must be a map of strings`);
      setOwn(part, key, text);
      setOwn(texts, key, text);
    }
    assertValid(validate(part, path));
    yield;
  }
  assertValid(validateSize?.(texts, path) ?? []);
  return keys.length === 0 ? undefined : texts;
}

function assertValid([error]: readonly FieldError[]): void {
  if (error) throw new Error(`${error.field}: ${error.message}`);
}
