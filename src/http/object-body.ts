/** Bodies that hold one object. The content type is refused before anything is read. */
import type { JsonObject } from '../base/json.ts';
import { bodyFormat, decodeBody } from '../codec/decode-body.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { BodyLimits } from './body.ts';
import { readBody } from './body.ts';
import type { RequestContext } from './context.ts';

/** @throws StatusError 415 */
export function assertBodyType(context: RequestContext): void {
  bodyFormat(context.req.headers['content-type']);
}

/** Reads and decodes the body. @throws StatusError 400, 408, 413, 415 */
export async function readObject(
  context: RequestContext,
  { bodyLimits, naming }: { readonly bodyLimits: BodyLimits; readonly naming: NamingProfile },
): Promise<JsonObject> {
  const bytes = await readBody(context, bodyLimits);
  return decodeBody({ contentType: context.req.headers['content-type'], bytes, naming });
}
