/** GET of one object. */
import { turnFor } from '../../base/cooperate.ts';
import type { Representation } from '../representation/types.ts';
import { sendBytes } from '../respond.ts';
import { sendSliced } from '../sliced-stream.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import type { RequestContext } from '../request-context.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';
import { readScope } from './verb-request.ts';

/** Objects of this size are streamed and compressed like lists. */
const largeBytes = 128 * 1024;

export async function serveGet(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource, name } = request;
  const representation = deps.representations.of(context, resource, 'object');
  const resourceVersion = context.query.get('resourceVersion');
  const entry = await deps.verbs.get(readScope(request), name, { resourceVersion });
  await turnFor(sizeOf(entry));
  return sendRead(context, representation, entry);
}

function sendRead(
  context: RequestContext,
  representation: Representation,
  entry: Entry,
): void | Promise<void> {
  const body = representation.object(entry);
  if (body.length > largeBytes) {
    return sendSliced(context, 200, representation.contentType, { length: body.length, slices: [body] });
  }
  sendBytes(context, 200, representation.contentType, body);
}
