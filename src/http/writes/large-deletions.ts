/** Deletion of a collection: its large objects are deleted in a write thread, as by themselves. */
import { Semaphore } from '../../base/semaphore.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import { StatusError } from '../../meta/status.ts';
import type { DeleteElsewhere, DeleteOptions, DeleteResult, RequestScope } from '../../registry/types.ts';
import { hasManyMembers } from '../representation/large-forms.ts';
import { sizeOf } from '../../storage/size.ts';
import type { LargeWrites } from './large-writes.ts';
import type { WriteRequest } from './write-request.ts';

const noBody = Buffer.alloc(0);

/**
 * Deletes the objects of a collection that take long to parse in a write thread. One at a time, so that a large
 * collection leaves the places of the thread to others; once one fails, those that wait fail with it.
 */
export function deletionsElsewhere(
  largeWrites: LargeWrites | undefined,
  verb: string,
  deletion: DeleteOptions,
): DeleteElsewhere | undefined {
  if (!largeWrites) return undefined;
  const oneByOne = new Semaphore(1);
  let refused: { readonly error: unknown } | undefined;
  const perform = async (write: WriteRequest, scope: RequestScope): Promise<DeleteResult | undefined> => {
    if (refused) throw refused.error;
    try {
      const answer = await largeWrites.perform(write, scope);
      if (answer.kind !== 'deleted') throw new Error(`a deletion answered with a ${answer.kind}`);
      return answer;
    } catch (error) {
      // Whether the object itself is missing, or what admission asked for, only an error of this thread can say.
      if (error instanceof StatusError && error.code === 404) return undefined;
      refused = { error };
      throw error;
    }
  };
  return (scope, name, entry) => {
    const { namespace, subresource, user, dryRun, fieldManager } = scope;
    const write: WriteRequest = {
      ...{ operation: 'delete', resource: scope.resource.gvr, verb, contentType: undefined, body: noBody },
      ...{ namespace, name, subresource, user, dryRun, fieldManager, deletion },
    };
    // What is stored may be small, and large as this version shows it.
    const isLarge = sizeOf(entry) > smallBodyBytes ? hasManyMembers(entry) : largeWrites.takes(write, scope);
    if (!isLarge) return undefined;
    return oneByOne.use(() => perform(write, scope));
  };
}
