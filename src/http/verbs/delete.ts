/** DELETE of one object. */
import { decodeStored } from '../../codec/stored.ts';
import { asApiObject } from '../../meta/object.ts';
import { deletedStatus } from '../../meta/status.ts';
import type { DeleteOptions, DeleteResult } from '../../registry/types.ts';
import { readBody } from '../body.ts';
import { parseDeleteOptions } from '../options/delete-options.ts';
import { sendBytes } from '../respond.ts';
import { sendOutcome } from '../value.ts';
import type { ResourceRequest, VerbDeps } from './request.ts';
import { writeScope } from './request.ts';

/** A removed object is answered by a Status (or itself, where its kind says so), a terminating one by itself. */
export async function serveDelete(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource, name } = request;
  const representation = deps.representations.of(context, resource, 'object');
  const bytes = await readBody(context, deps.bodyLimits);
  const { options, dryRun } = await parseDeleteOptions(context, bytes, deps.naming);
  const scope = writeScope(request, { dryRun, fieldManager: '' });
  const result = await deps.verbs.delete(scope, name, options);
  if (result.removed && resource.definition.strategy.deleteReturns === 'status') {
    sendOutcome(context, deletedStatus(resource.gvr, name, uidOf(result)));
  } else {
    const code = isAccepted(result, options) ? 202 : 200;
    sendBytes(context, code, representation.contentType, representation.object(result.entry));
  }
}

/** 202: dependents go first, as the client wished. Other deletions that take their time are 200, as clients know them. */
function isAccepted({ removed }: DeleteResult, options: DeleteOptions): boolean {
  return !removed && (options.orphanDependents === false || options.propagationPolicy === 'Foreground');
}

function uidOf({ entry }: DeleteResult): string {
  return asApiObject(decodeStored(entry.bytes)).metadata.uid ?? '';
}
