/** Request body → object, by its content type. Every error is the Status that the client gets. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { protobufBodyTypes } from '../meta/naming.ts';
import { badRequest, unsupportedMediaType } from '../meta/status.ts';
import { DecodeError } from './decode-error.ts';
import { decodeJson } from './decode-json.ts';
import { parseMediaType } from './media-type.ts';
import { decodeProtobuf, type TypeMeta } from './protobuf/codec.ts';
import { decodeYaml } from './yaml.ts';
import type { StructSchema } from '../schema/types.ts';

export const jsonMediaType = 'application/json';
export const yamlMediaType = 'application/yaml';

export type BodyFormat = 'json' | 'yaml' | 'protobuf';

export interface DecodeBodyOptions {
  /** The Content-Type header; undefined or empty means JSON. */
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
  readonly naming: NamingProfile;
  /** Finds the schema of a Protobuf body by what its envelope says. Absent: Protobuf is not accepted here. */
  readonly schemaOf?: (apiVersion: string, kind: string) => StructSchema | undefined;
  /** What a Protobuf body holds whose envelope does not say so. */
  readonly expected?: TypeMeta | undefined;
  /** Called with the paths of duplicate keys; absent if they are ignored, where the last value counts. */
  readonly onDuplicates?: (paths: readonly string[]) => void;
}

/**
 * Decodes a body that must be one object.
 * @throws StatusError 415 for a content type that is not accepted, 400 for bytes that do not hold an object
 */
export function decodeBody(options: DecodeBodyOptions): JsonObject {
  const format = bodyFormat(options.contentType, options.schemaOf && options.naming);
  return asObject(asBadRequest(() => decode(format, options)));
}

function asObject(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw badRequest(`the body of the request must be an object, not ${describe(value)}`);
}

/**
 * The format that a Content-Type names, for a check before the body is read.
 * @param protobufNaming the profile whose Protobuf media types are accepted; absent: none is
 * @throws StatusError 415 when it names none that is accepted, or a charset other than UTF-8
 */
export function bodyFormat(contentType: string | undefined, protobufNaming?: NamingProfile): BodyFormat {
  if (contentType === undefined || contentType === jsonMediaType || contentType.trim() === '') return 'json';
  const formats = formatsOf(protobufNaming);
  const type = parseMediaType(contentType);
  const format = type && formats.get(type.essence);
  const charset = type?.params.get('charset')?.toLowerCase() ?? 'utf-8';
  if (format === undefined || (charset !== 'utf-8' && charset !== 'utf8')) {
    throw unsupportedMediaType([...formats.keys()]);
  }
  return format;
}

type Formats = ReadonlyMap<string, BodyFormat>;

const textFormats: Formats = new Map<string, BodyFormat>([
  [jsonMediaType, 'json'],
  [yamlMediaType, 'yaml'],
]);
const withProtobuf = new WeakMap<NamingProfile, Formats>();

/** The formats by their media types; made once for each profile. */
function formatsOf(naming: NamingProfile | undefined): Formats {
  if (naming === undefined) return textFormats;
  let formats = withProtobuf.get(naming);
  if (formats === undefined) {
    const types = protobufBodyTypes(naming).map((type): [string, BodyFormat] => [type, 'protobuf']);
    formats = new Map([...textFormats, ...types]);
    withProtobuf.set(naming, formats);
  }
  return formats;
}

/** Runs a decoder; what it finds wrong becomes a 400 with the decoder's text. */
export function asBadRequest<T>(decoder: () => T): T {
  try {
    return decoder();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`the body of the request could not be decoded: ${error.message}`);
  }
}

function decode(
  format: BodyFormat,
  { bytes, onDuplicates, schemaOf, expected }: DecodeBodyOptions,
): JsonValue {
  if (bytes.length === 0) throw new DecodeError('it is empty');
  if (format === 'yaml') return decodeYaml(bytes, { onDuplicates: onDuplicates ?? ignore });
  if (format === 'protobuf')
    return decodeProtobuf(bytes, (version, kind) => schemaOf?.(version, kind), expected);
  const { value, duplicates } = decodeJson(bytes, { detectDuplicates: onDuplicates !== undefined });
  if (duplicates.length > 0) onDuplicates?.(duplicates);
  return value;
}

function ignore(): void {
  // As the reference takes them.
}

function describe(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a number' : `a ${typeof value}`;
}
