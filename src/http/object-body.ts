/** Bodies that hold one object. An unsupported content type is rejected before the body is read. */
import type { JsonObject } from '../base/json.ts';
import { bodyFormat, decodeBody } from '../codec/decode-body.ts';
import type { TypeMeta } from '../codec/protobuf/codec.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { ServedResource } from '../registry/types.ts';
import type { RequestContext } from './request-context.ts';
import type { SentFields } from './options/write-options.ts';
import type { WireTypes } from './wire-types.ts';
import { hasProtobuf } from './wire-types.ts';

/** @throws StatusError 415 */
export function assertBodyType({ req, phase, resource }: RequestContext): void {
  const protobuf = bodyTypes(phase.types, resource)?.naming;
  bodyFormat(req.headers['content-type'], { protobuf, cbor: phase.types?.speaksCbor });
}

export interface BodyDecoding {
  /** The Content-Type header; undefined means JSON. */
  readonly contentType: string | undefined;
  readonly naming: NamingProfile;
  /** The requested resource. */
  readonly resource: ServedResource | undefined;
  readonly types: WireTypes | undefined;
  /** The type of a Protobuf body whose envelope does not say it: that of the path. */
  readonly expected?: TypeMeta;
  /** Collects duplicate fields; absent if they are ignored. */
  readonly fieldValidation?: SentFields | undefined;
}

/**
 * Decodes a body.
 * @throws StatusError 400, 415
 */
export function decodeObjectBody(
  bytes: Buffer,
  { contentType, naming, resource, types: all, expected, fieldValidation }: BodyDecoding,
): JsonObject {
  const types = bodyTypes(all, resource);
  return decodeBody({
    ...{ contentType, bytes, naming, expected, acceptsCbor: all?.speaksCbor },
    ...duplicatesNoted(fieldValidation),
    ...(types && { schemaOf: (apiVersion, kind) => types.find(apiVersion, kind) }),
  });
}

/** The decoder's listener for duplicate keys; undefined if they are ignored. */
export function duplicatesNoted(sent: SentFields | undefined): {
  onDuplicates?: (paths: readonly string[]) => void;
} {
  if (!sent) return {};
  return {
    onDuplicates: (paths) => {
      sent.errors.push(...paths.map((path) => `duplicate field ${JSON.stringify(path)}`));
    },
  };
}

/** Accepted types of a Protobuf body; undefined if Protobuf is not supported. */
function bodyTypes(
  types: WireTypes | undefined,
  resource: ServedResource | undefined,
): WireTypes | undefined {
  return resource && !hasProtobuf(resource) ? undefined : types;
}
