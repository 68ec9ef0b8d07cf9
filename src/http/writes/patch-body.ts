/** Bodies of PATCH: JSON patch (RFC 6902), merge patch (RFC 7396), strategic merge patch; applied configurations. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import { asBadRequest } from '../../codec/decode-body.ts';
import { decodeJson } from '../../codec/decode-json.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import { parseMediaType } from '../../codec/media-type.ts';
import { decodeYaml } from '../../codec/yaml.ts';
import { decodeCbor } from '../../codec/cbor/decode-cbor.ts';
import { GrownWrite } from '../../meta/grown-write.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../../meta/status.ts';
import { applyJsonPatch, parseJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import { PatchError } from '../../patch/patch-error.ts';
import { applyStrategicMergePatch } from '../../patch/strategic-merge-patch.ts';
import type { RequestScope, Transform } from '../../registry/types.ts';
import type { StructSchema } from '../../schema/types.ts';
import { duplicatesNoted } from '../object-body.ts';
import type { SentFields } from '../options/write-options.ts';

/** Checks a decoded patch once and returns the function that applies it, which may run again after a conflict. */
type PatchKind = (patch: JsonValue, of: PatchOf) => Transform;

/** The resource of a patch, its field validation, and what happens to one that makes the object large. */
export interface PatchOf {
  readonly schema: StructSchema;
  readonly sent: SentFields | undefined;
  readonly growth?: RequestScope['growth'];
}

const jsonPatch: PatchKind = (patch, { sent, growth }) => {
  const operations = parseJsonPatch(patch);
  sent?.errors.push(...strangeMembers(patch));
  return (current) =>
    asObject(applyJsonPatch(current, operations, growth === 'moves' ? moveLarge : undefined));
};

/** A few operations may copy megabytes. @throws GrownWrite */
function moveLarge(copied: number): void {
  if (copied > smallBodyBytes) throw new GrownWrite();
}

const mergePatch: PatchKind = (patch) => (current) => applyMergePatch(current, patch);

const strategicMergePatch: PatchKind =
  (patch, { schema, growth }) =>
  (current) =>
    withTypeOf(
      current,
      applyStrategicMergePatch(current, patch, schema, growth === 'moves' ? moveLong : undefined),
    );

/** Members that merge within a few milliseconds; a small patch of a small object has fewer unless it repeats itself. */
const quickMembers = 20_000;

/** Items that repeat a merge key merge the same object again and again. @throws GrownWrite */
function moveLong(members: number): void {
  if (members > quickMembers) throw new GrownWrite();
}

/** A strategic merge patch cannot change the type: another kind or apiVersion in it is ignored. */
function withTypeOf({ kind, apiVersion }: JsonObject, patched: JsonObject): JsonObject {
  return { ...patched, ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }) };
}

const strategicType = 'application/strategic-merge-patch+json';
const applyType = 'application/apply-patch+yaml';
const cborApplyType = 'application/apply-patch+cbor';

const patchKinds: ReadonlyMap<string, PatchKind> = new Map([
  ['application/json-patch+json', jsonPatch],
  ['application/merge-patch+json', mergePatch],
  [strategicType, strategicMergePatch],
]);

/** Whether the Content-Type is that of an applied configuration. */
export function isApplyType(contentType: string, speaksCbor: boolean): boolean {
  return applyTypes(speaksCbor).includes(parseMediaType(contentType)?.essence ?? '');
}

function applyTypes(speaksCbor: boolean): readonly string[] {
  return speaksCbor ? [applyType, cborApplyType] : [applyType];
}

/** Whether the Content-Type is that of a configuration in CBOR. */
export function isCborApplyType(contentType: string): boolean {
  return parseMediaType(contentType)?.essence === cborApplyType;
}

/** What a PATCH may be besides the patches. */
export interface Applicable {
  /** Configurations can be applied. */
  readonly isApplicable: boolean;
  readonly speaksCbor: boolean;
}

/**
 * Checks the type before the body is read.
 * @throws StatusError 415
 */
export function assertPatchType(
  contentType: string,
  schema: StructSchema,
  { isApplicable, speaksCbor }: Applicable,
): void {
  const types = typesOf(schema);
  if (types.includes(parseMediaType(contentType)?.essence ?? '')) return;
  throw unsupportedMediaType(isApplicable ? [...types, ...applyTypes(speaksCbor)] : types);
}

/** Strategic merge patch requires the merge keys of lists, which custom resources lack. */
function typesOf(schema: StructSchema): readonly string[] {
  return [...patchKinds.keys()].filter((type) => type !== strategicType || schema.name !== '');
}

/**
 * Decodes a patch of an accepted type.
 * @throws StatusError 400; the transform throws 400, 413, 422, and GrownWrite where it may move
 */
export function decodePatch(bytes: Buffer, contentType: string, of: PatchOf): Transform {
  const kind = patchKinds.get(parseMediaType(contentType)?.essence ?? '');
  if (!kind) throw unsupportedMediaType(typesOf(of.schema));
  if (bytes.length === 0) throw badRequest('the body of a patch must not be empty');
  const { onDuplicates } = duplicatesNoted(of.sent);
  const decoded = asBadRequest(() => decodeJson(bytes, { detectDuplicates: onDuplicates !== undefined }));
  onDuplicates?.(decoded.duplicates);
  const transform = translated(() => kind(decoded.value, of));
  return (current) => translated(() => transform(current));
}

/**
 * An applied configuration in YAML, which includes JSON, or in CBOR. Duplicate keys are errors; in YAML they may be ignored.
 * @throws StatusError 400
 */
export function decodeConfiguration(
  bytes: Buffer,
  contentType: string,
  { sent, ignoresDuplicates }: { readonly sent: SentFields | undefined; readonly ignoresDuplicates: boolean },
): JsonObject {
  const noted = ignoresDuplicates ? { onDuplicates: () => undefined } : duplicatesNoted(sent);
  const decode = isCborApplyType(contentType) ? decodeCbor : (text: Buffer) => decodeYaml(text, noted);
  const configuration = asBadRequest(() => decode(bytes));
  if (!isObject(configuration)) throw badRequest('an applied configuration must be an object');
  return configuration;
}

const operationMembers: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** Maximum number of reported fields. */
const maxStrangeMembers = 100;

/** Undefined members of operations, which are ignored (RFC 6902, section 4). */
function strangeMembers(patch: JsonValue): string[] {
  if (!Array.isArray(patch)) return [];
  const found: string[] = [];
  for (const [index, operation] of patch.entries()) {
    for (const member of Object.keys(isObject(operation) ? operation : {})) {
      if (operationMembers.has(member)) continue;
      found.push(`json patch unknown field ${quoted(`[${String(index)}].${member}`)}`);
      if (found.length >= maxStrangeMembers) return found;
    }
  }
  return found;
}

function asObject(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw new PatchError('unprocessable', 'the patch makes the object something that is no object');
}

/** Translates errors of a patch into a Status. */
function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    switch (error.kind) {
      case 'malformed':
        throw badRequest(`the patch is malformed: ${error.message}`);
      case 'unprocessable':
        throw new StatusError(422, 'Invalid', `the patch cannot be applied: ${error.message}`);
      case 'tooLarge':
        throw new StatusError(413, 'RequestEntityTooLarge', `the patch is too large: ${error.message}`);
    }
  }
}
