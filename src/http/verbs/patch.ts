/** PATCH of one object or of an object subresource: JSON patch, merge patch, strategic merge patch, apply. */
import { Slice } from '../../base/cooperate.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import { asBadRequest, readYaml } from '../../codec/decode-body.ts';
import { decodeJson } from '../../codec/json.ts';
import { parseMediaType } from '../../codec/media-type.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../../meta/status.ts';
import { applyJsonPatch, parseJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import { PatchError } from '../../patch/patch-error.ts';
import { applyStrategicMergePatch } from '../../patch/strategic-merge-patch.ts';
import type { Transform, WriteResult } from '../../registry/types.ts';
import type { StructSchema } from '../../schema/types.ts';
import { readBody } from '../body.ts';
import type { RequestContext } from '../context.ts';
import { duplicatesNoted } from '../object-body.ts';
import type { WriteOptions } from '../options/write-options.ts';
import { parseApplyOptions, parseWriteOptions } from '../options/write-options.ts';
import { sendBytes } from '../respond.ts';
import type { ResourceRequest, VerbDeps } from './request.ts';
import { writeScope } from './request.ts';

/** Checks a decoded patch once and gives the function that applies it, which may run again after a conflict. */
type PatchKind = (patch: JsonValue, { schema, options }: PatchOf) => Transform;

/** What a patch is of, and how the client wants it to be read. */
interface PatchOf {
  readonly schema: StructSchema;
  readonly options: WriteOptions;
  /** Objects are applied as well. */
  readonly isApplicable?: boolean;
}

const jsonPatch: PatchKind = (patch, { options }) => {
  const operations = parseJsonPatch(patch);
  options.fieldValidation?.faults.push(...strangeMembers(patch));
  return (current) => asObject(applyJsonPatch(current, operations));
};

const mergePatch: PatchKind = (patch) => (current) => applyMergePatch(current, patch);

const strategicMergePatch: PatchKind =
  (patch, { schema }) =>
  (current) =>
    applyStrategicMergePatch(current, patch, schema);

const strategicType = 'application/strategic-merge-patch+json';
const applyType = 'application/apply-patch+yaml';

const patchKinds: ReadonlyMap<string, PatchKind> = new Map([
  ['application/json-patch+json', jsonPatch],
  ['application/merge-patch+json', mergePatch],
  [strategicType, strategicMergePatch],
]);

/** True when the body is an applied configuration. */
export function isApply({ context }: ResourceRequest): boolean {
  return parseMediaType(context.header('content-type'))?.essence === applyType;
}

export async function servePatch(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource } = request;
  const representation = deps.representations.of(context, resource, 'object');
  const { entry, created } = await (isApply(request) ? apply(request, deps) : patch(request, deps));
  sendBytes(context, created ? 201 : 200, representation.contentType, representation.object(entry));
}

async function patch(request: ResourceRequest, deps: VerbDeps): Promise<WriteResult> {
  const { context, resource, name } = request;
  const options = parseWriteOptions(context, 'PatchOptions', deps.naming);
  const scope = writeScope(request, options);
  const transform = await readPatch(request, deps, { schema: resource.schema, options, isApplicable: true });
  return deps.verbs.patch(scope, name, transform);
}

async function apply(request: ResourceRequest, deps: VerbDeps): Promise<WriteResult> {
  const { force, ...options } = parseApplyOptions(request.context, deps.naming);
  const scope = writeScope(request, options);
  return deps.verbs.apply(scope, request.name, await readConfiguration(request, deps, options), { force });
}

/** An applied configuration: YAML, which JSON is too. @throws StatusError 400, 408, 413 */
export async function readConfiguration(
  { context }: ResourceRequest,
  deps: VerbDeps,
  options: WriteOptions,
): Promise<JsonObject> {
  const bytes = await readBody(context, deps.bodyLimits);
  const configuration = await readYaml(context.phase.yaml, bytes, duplicatesOfApply(context, options));
  if (!isObject(configuration)) throw badRequest('an applied configuration must be an object');
  return configuration;
}

/** An applied configuration must not say a thing twice, unless the client asked for leniency. */
function duplicatesOfApply(
  { query }: RequestContext,
  { fieldValidation }: WriteOptions,
): ReturnType<typeof duplicatesNoted> {
  return query.get('fieldValidation') === 'Ignore'
    ? { onDuplicates: () => undefined }
    : duplicatesNoted(fieldValidation);
}

/** Reads a patch of objects of a schema. @throws StatusError 400, 408, 413, 415; the transform throws 400, 413, 422 */
export async function readPatch(
  { context }: ResourceRequest,
  deps: VerbDeps,
  of: PatchOf,
): Promise<Transform> {
  const kind = patchKindOf(context.header('content-type'), of);
  const bytes = await readBody(context, deps.bodyLimits);
  if (bytes.length === 0) throw badRequest('the body of a patch must not be empty');
  const { onDuplicates } = duplicatesNoted(of.options.fieldValidation);
  const slice = new Slice();
  const decoded = asBadRequest(() => decodeJson(bytes, { detectDuplicates: onDuplicates !== undefined }));
  onDuplicates?.(decoded.duplicates);
  const transform = translated(() => kind(decoded.value, of));
  // What is done with a large patch takes long as well: others have their turn before.
  await slice.breathe();
  return (current) => translated(() => transform(current));
}

/** Strategic merge needs to know how the lists of a kind are merged, which no custom resource says. */
function patchKindOf(contentType: string, { schema, isApplicable = false }: PatchOf): PatchKind {
  const types = [...patchKinds.keys()].filter((type) => type !== strategicType || schema.name !== '');
  const essence = parseMediaType(contentType)?.essence ?? '';
  const kind = types.includes(essence) ? patchKinds.get(essence) : undefined;
  if (!kind) throw unsupportedMediaType(isApplicable ? [...types, applyType] : types);
  return kind;
}

const operationMembers: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** More of them are not told. */
const maxStrangeMembers = 100;

/** Members of operations that mean nothing (RFC 6902, section 4: they are ignored). */
function strangeMembers(patch: JsonValue): string[] {
  if (!Array.isArray(patch)) return [];
  return patch
    .flatMap((operation, index) =>
      Object.keys(isObject(operation) ? operation : {})
        .filter((member) => !operationMembers.has(member))
        .map((member) => [index, member] as const),
    )
    .slice(0, maxStrangeMembers)
    .map(([index, member]) => `json patch unknown field ${quoted(`[${String(index)}].${member}`)}`);
}

function asObject(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw new PatchError('unprocessable', 'the patch makes the object something that is no object');
}

/** Faults of a patch as the Status that the client gets. */
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
