/** GET of a collection or a chunk of it. */
import { sendSliced } from '../sliced-stream.ts';
import { elsewhereFor } from '../representation/large-forms.ts';
import { parseListOptions } from '../options/read-options.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';
import { readScope } from './verb-request.ts';

export async function serveList(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource } = request;
  const representation = deps.representations.of(context, resource, 'list');
  const options = parseListOptions(context.query, deps.streamingLists);
  const scope = readScope(request);
  const result = await deps.verbs.list(scope, options);
  const elsewhere = elsewhereFor(deps.largeForms, representation, scope);
  await sendSliced(context, 200, representation.contentType, representation.list(result, elsewhere));
}
