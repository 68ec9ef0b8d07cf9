/**
 * The annotation in which the command-line client keeps what it applied on its own side. Its server-side apply takes
 * over what that wrote, and keeps the annotation in step, so that its users may go back (KEP-555, upgrade path).
 */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { annotationsMaxBytes } from '../../api/validation/labels.ts';
import { decodeJson } from '../../codec/decode-json.ts';
import { DecodeError } from '../../codec/decode-error.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { lastAppliedAnnotations } from '../../meta/naming.ts';
import type { Applied } from '../../patch/apply/apply-configuration.ts';
import type { FieldSet } from '../../patch/apply/field-set.ts';
import { unchangedSince } from '../../patch/apply/last-applied.ts';
import { PatchError } from '../../patch/patch-error.ts';
import type { RequestScope, ServedResource } from '../types.ts';

/** The manager of server-side applies by the client that writes the annotation. */
const commandLineClient = 'kubectl';

export function isCommandLineClient({ fieldManager }: RequestScope): boolean {
  return fieldManager === commandLineClient;
}

/**
 * Fields that a client-side apply wrote and nobody changed since: no conflicts for the same client. Undefined without
 * an annotation of the request's version that can be read.
 */
export function fieldsOfLastApplied(resource: ServedResource, live: JsonObject): FieldSet | undefined {
  const [, text] = annotationOf(resource, live) ?? [];
  const sent = text === undefined ? undefined : readConfiguration(text);
  if (sent?.['apiVersion'] !== apiVersionOf(resource.gvk)) return undefined;
  const { value, errors, unknown } = resource.structure(sent);
  if (errors.length > 0 || unknown.length > 0) return undefined;
  try {
    return unchangedSince(value, live, resource.schema);
  } catch (error) {
    if (error instanceof PatchError) return undefined;
    throw error;
  }
}

/** The applied object, whose annotation says what was applied; it is left out where annotations would be too large. */
export function withLastApplied(
  resource: ServedResource,
  applied: Applied,
  configuration: JsonObject,
): Applied {
  const [name, text] = annotationOf(resource, applied.object) ?? [];
  if (name === undefined) return applied;
  const next = configurationText(name, configuration);
  if (next === text) return applied;
  const { metadata } = applied.object;
  if (!isObject(metadata) || !isObject(metadata['annotations'])) return applied;
  const { [name]: _last, ...others } = metadata['annotations'];
  const annotations = withinLimit({ ...others, [name]: next }) ? { ...others, [name]: next } : others;
  return { ...applied, object: { ...applied.object, metadata: { ...metadata, annotations } } };
}

/** Name and text of the annotation, which is not empty. */
function annotationOf(
  { naming }: ServedResource,
  { metadata }: JsonObject,
): readonly [string, string] | undefined {
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  if (!isObject(annotations)) return undefined;
  for (const name of lastAppliedAnnotations(naming)) {
    const text = annotations[name];
    if (typeof text === 'string' && text !== '') return [name, text];
  }
  return undefined;
}

function readConfiguration(text: string): JsonObject | undefined {
  try {
    const { value } = decodeJson(Buffer.from(text));
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** As the client writes it: names in order, a line break at the end, without the annotation itself. */
function configurationText(name: string, { metadata, ...rest }: JsonObject): string {
  return `${canonicalJson({ ...rest, metadata: withoutAnnotation(name, metadata) })}\n`;
}

function withoutAnnotation(name: string, metadata: JsonValue | undefined): JsonValue {
  if (!isObject(metadata)) return {};
  const { annotations } = metadata;
  if (!isObject(annotations)) return metadata;
  const { [name]: _own, ...others } = annotations;
  return { ...metadata, annotations: others };
}

function withinLimit(annotations: JsonObject): boolean {
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations))
    bytes += Buffer.byteLength(name) + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  return bytes <= annotationsMaxBytes;
}
