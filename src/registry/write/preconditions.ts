/** What a deletion may insist on: that the object is still the one, or in the state, that the client means. */
import type { ApiObject } from '../../meta/object.ts';
import type { StatusError } from '../../meta/status.ts';
import { conflict } from '../../meta/status.ts';
import type { DeleteOptions, RequestScope } from '../types.ts';

export interface Insistence {
  readonly scope: RequestScope;
  readonly name: string;
  readonly preconditions: DeleteOptions['preconditions'];
}

/** The 409 that says which precondition an object fails; undefined when it meets all. */
export function unmetPrecondition(
  { scope, name, preconditions }: Insistence,
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
