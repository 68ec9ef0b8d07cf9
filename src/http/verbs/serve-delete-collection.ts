/** DELETE of a collection, filtered by selectors. */
import type { Status } from '../../meta/status.ts';
import type { ListResult } from '../../registry/types.ts';
import { readDeletion } from '../options/delete-options.ts';
import { parseListOptions } from '../options/read-options.ts';
import { sendOutcome } from '../send-value.ts';
import { deletionsElsewhere } from '../writes/large-deletions.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';
import { writeScope } from './verb-request.ts';

export async function serveDeleteCollection(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource } = request;
  deps.representations.of(context, resource, 'list');
  const list = parseListOptions(context.query, deps.streamingLists);
  const { options, dryRun } = await readDeletion(context, deps);
  const elsewhere = deletionsElsewhere(deps.largeWrites, context.info.verb, options);
  const scope = writeScope(request, { dryRun, fieldManager: '' });
  const deleted = await deps.verbs.deleteCollection(scope, list, options, elsewhere);
  const { group, resource: plural } = resource.gvr;
  const details = { ...(group !== '' && { group }), kind: plural };
  const done: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: rest(deleted),
    status: 'Success',
    details,
    code: 200,
  };
  sendOutcome(context, done);
}

/** The continue token of a deletion with `limit`, as of a list chunk. */
function rest({ revision, continue: token, remainingItemCount }: ListResult): Status['metadata'] {
  if (token === '') return {};
  const count = remainingItemCount === undefined ? {} : { remainingItemCount };
  return { resourceVersion: String(revision), continue: token, ...count };
}
