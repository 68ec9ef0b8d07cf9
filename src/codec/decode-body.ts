/** Request body → object, by its content type. Every error is the Status that the client gets. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { protobufBodyTypes } from '../meta/naming.ts';
import { badRequest, unsupportedMediaType } from '../meta/status.ts';
import { decodeCbor } from './cbor/decode-cbor.ts';
import { DecodeError } from './decode-error.ts';
import { decodeJson } from './decode-json.ts';
import { parseMediaType } from './media-type.ts';
import { decodeProtobuf, type TypeMeta } from './protobuf/codec.ts';
import { decodeYaml } from './yaml.ts';
import type { StructSchema } from '../schema/types.ts';

export const jsonMediaType = 'application/json';
export const yamlMediaType = 'application/yaml';
export const cborMediaType = 'application/cbor';
/** Of streams: one data item after another (RFC 8742). */
export const cborSequenceMediaType = 'application/cbor-seq';

export type BodyFormat = 'json' | 'yaml' | 'protobuf' | 'cbor';

/** Formats that are accepted besides JSON and YAML. */
export interface OtherFormats {
  /** The profile whose Protobuf media types are; absent: none is. */
  readonly protobuf?: NamingProfile | undefined;
  readonly cbor?: boolean | undefined;
}

export interface DecodeBodyOptions {
  /** The Content-Type header; undefined or empty means JSON. */
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
  readonly naming: NamingProfile;
  /** Finds the schema of a Protobuf body by what its envelope says. Absent: Protobuf is not accepted here. */
  readonly schemaOf?: (apiVersion: string, kind: string) => StructSchema | undefined;
  /** CBOR is accepted. */
  readonly acceptsCbor?: boolean | undefined;
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
  const format = bodyFormat(options.contentType, {
    protobuf: options.schemaOf && options.naming,
    cbor: options.acceptsCbor,
  });
  return asObject(asBadRequest(() => decode(format, options)));
}

function asObject(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw badRequest(`the body of the request must be an object, not ${describe(value)}`);
}

/**
 * The format that a Content-Type names, for a check before the body is read.
 * @throws StatusError 415 when it names none that is accepted, or a charset other than UTF-8
 */
export function bodyFormat(contentType: string | undefined, others: OtherFormats = {}): BodyFormat {
  if (contentType === undefined || contentType === jsonMediaType || contentType.trim() === '') return 'json';
  const formats = formatsOf(others);
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
const withCbor: Formats = new Map([...textFormats, [cborMediaType, 'cbor']]);
const withProtobuf = new Map(
  [textFormats, withCbor].map((formats) => [formats, new WeakMap<NamingProfile, Formats>()]),
);

/** The formats by their media types; made once for each profile. */
function formatsOf({ protobuf, cbor }: OtherFormats): Formats {
  const others = cbor === true ? withCbor : textFormats;
  if (protobuf === undefined) return others;
  const made = withProtobuf.get(others);
  let formats = made?.get(protobuf);
  if (formats === undefined) {
    const types = protobufBodyTypes(protobuf).map((type): [string, BodyFormat] => [type, 'protobuf']);
    formats = new Map([...others, ...types]);
    made?.set(protobuf, formats);
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
  // Duplicate keys of CBOR are never ignored.
  if (format === 'cbor') return decodeCbor(bytes);
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
