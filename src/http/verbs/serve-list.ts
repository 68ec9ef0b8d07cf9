/** GET of a collection or a chunk of it. */
import { turnFor } from '../../base/cooperate.ts';
import { sendSliced } from '../sliced-stream.ts';
import { elsewhereFor } from '../representation/large-forms.ts';
import { parseListOptions } from '../options/read-options.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';
import { readScope } from './verb-request.ts';

/**
 * To add up the lengths of entries, 1 ms for 1,000, counts as a step over so many bytes for each, so that a hundred take their
 * turn: hundreds of lists that wait for one fresh read go on in the turn in which it ends.
 */
const entryCost = 660;

export async function serveList(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource } = request;
  const representation = deps.representations.of(context, resource, 'list');
  const options = parseListOptions(context.query, deps.streamingLists);
  const scope = readScope(request);
  const result = await deps.verbs.list(scope, options);
  const elsewhere = elsewhereFor(deps.largeForms, representation, scope);
  // Of long lists that are asked for at once, about one is measured in a turn.
  await turnFor(result.entries.length * entryCost);
  await sendSliced(context, 200, representation.contentType, representation.list(result, elsewhere));
}
