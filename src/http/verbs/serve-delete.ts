/** DELETE of one object. */
import { readUid } from '../../codec/stored-metadata.ts';
import { deletedStatus } from '../../meta/status.ts';
import type { DeleteOptions, DeleteResult } from '../../registry/types.ts';
import { readDeletion } from '../options/delete-options.ts';
import { sendOutcome } from '../send-value.ts';
import { dispatchWrite } from '../writes/dispatch-write.ts';
import { sendWritten } from './send-entry.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';

/**
 * Responds with a Status if the object is removed (with the object for some kinds), or with the terminating object.
 */
export async function serveDelete(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource, name } = request;
  const representation = deps.representations.of(context, resource, 'object');
  const { options, dryRun } = await readDeletion(context, deps);
  const sent = { operation: 'delete', options: { dryRun, fieldManager: '' }, deletion: options } as const;
  const result = await dispatchWrite(request, deps, { ...sent, body: noBody });
  if (result.kind !== 'deleted') throw new Error(`a deletion answered with a ${result.kind}`);
  if (result.removed && resource.definition.strategy.deleteReturns === 'status') {
    sendOutcome(context, deletedStatus(resource.gvr, name, readUid(result.entry.bytes)));
  } else {
    const code = isAccepted(result, options) ? 202 : 200;
    await sendWritten(request, deps, { code, representation, entry: result.entry });
  }
}

const noBody = Buffer.alloc(0);

/** 202 for foreground deletion that waits for dependents. Other pending deletions are 200, as in kube-apiserver. */
function isAccepted({ removed }: Pick<DeleteResult, 'removed'>, options: DeleteOptions): boolean {
  return !removed && (options.orphanDependents === false || options.propagationPolicy === 'Foreground');
}
