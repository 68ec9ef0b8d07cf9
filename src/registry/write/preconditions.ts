/** Preconditions of a deletion: uid and resourceVersion. */
import type { ApiObject } from '../../meta/object.ts';
import type { StatusError } from '../../meta/status.ts';
import { conflict } from '../../meta/status.ts';
import type { DeleteOptions, RequestScope } from '../types.ts';

export interface DeletePreconditionContext {
  readonly scope: RequestScope;
  readonly name: string;
  readonly preconditions: DeleteOptions['preconditions'];
}

/** The 409 of the first failed precondition; undefined if all are met. */
export function unmetPrecondition(
  { scope, name, preconditions }: DeletePreconditionContext,
  object: ApiObject,
): StatusError | undefined {
  const { uid, resourceVersion } = object.metadata;
  const about = (problem: string): StatusError =>
    conflict(scope.resource.gvr, name, `Precondition failed: ${problem}`);
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    return about(`UID in precondition: ${preconditions.uid}, UID in object meta: ${uid ?? ''}`);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    return about(
      `ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${resourceVersion ?? ''}`,
    );
  }
  return undefined;
}
