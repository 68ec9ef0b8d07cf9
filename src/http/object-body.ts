/** Bodies that hold one object. The content type is refused before anything is read. */
import { Slice } from '../base/cooperate.ts';
import type { JsonObject } from '../base/json.ts';
import type { DecodeBodyOptions } from '../codec/decode-body.ts';
import { bodyFormat, decodeBodyAside } from '../codec/decode-body.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { BodyLimits } from './body.ts';
import { readBody } from './body.ts';
import type { RequestContext } from './context.ts';
import type { SentFields, WriteOptions } from './options/write-options.ts';
import type { WireTypes } from './wire-types.ts';
import { hasProtobuf } from './wire-types.ts';

/** @throws StatusError 415 */
export function assertBodyType(context: RequestContext): void {
  bodyFormat(context.req.headers['content-type'], bodyTypes(context)?.naming);
}

export interface BodyDecoding {
  readonly naming: NamingProfile;
  /** Where fields that are given twice are noted; absent: nobody wants to know. */
  readonly fieldValidation?: SentFields | undefined;
}

/** Decodes a body that is there. @throws StatusError 400, 415, 429 */
export async function decodeObjectBody(
  context: RequestContext,
  bytes: Buffer,
  { naming, fieldValidation }: BodyDecoding,
): Promise<JsonObject> {
  const types = bodyTypes(context);
  const options: DecodeBodyOptions = {
    contentType: context.req.headers['content-type'],
    bytes,
    naming,
    ...duplicatesNoted(fieldValidation),
    ...(types && { schemaOf: (apiVersion, kind) => types.find(apiVersion, kind) }),
  };
  return decodeBodyAside(options, context.phase.yaml);
}

/** Reads and decodes the body. @throws StatusError 400, 408, 413, 415 */
export async function readObject(
  context: RequestContext,
  { bodyLimits, naming }: { readonly bodyLimits: BodyLimits; readonly naming: NamingProfile },
  { fieldValidation }: Pick<WriteOptions, 'fieldValidation'>,
): Promise<JsonObject> {
  const bytes = await readBody(context, bodyLimits);
  const slice = new Slice();
  const object = await decodeObjectBody(context, bytes, { naming, fieldValidation });
  // Megabytes take a slice to parse; what is done with them begins with another.
  await slice.breathe();
  return object;
}

/** The decoder's listener for keys that are given twice; none where nobody wants to know. */
export function duplicatesNoted(sent: SentFields | undefined): {
  onDuplicates?: (paths: readonly string[]) => void;
} {
  if (!sent) return {};
  return {
    onDuplicates: (paths) => {
      sent.faults.push(...paths.map((path) => `duplicate field ${JSON.stringify(path)}`));
    },
  };
}

/** What a Protobuf body may be; undefined where none is accepted. */
function bodyTypes({ phase, resource }: RequestContext): WireTypes | undefined {
  return resource && !hasProtobuf(resource) ? undefined : phase.types;
}
