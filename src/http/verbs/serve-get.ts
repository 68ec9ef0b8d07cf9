/** GET of one object. */
import type { ResourceRequest, VerbDeps } from './verb-request.ts';
import { sendEntry } from './send-entry.ts';
import { readScope } from './verb-request.ts';

export async function serveGet(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource, name } = request;
  const representation = deps.representations.of(context, resource, 'object');
  const resourceVersion = context.query.get('resourceVersion');
  const entry = await deps.verbs.get(readScope(request), name, { resourceVersion });
  return sendEntry(request, deps, { code: 200, representation, entry });
}
