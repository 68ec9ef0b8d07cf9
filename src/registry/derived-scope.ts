/** The scope of a further operation that a request needs: the same asker, deadline and options on something else. */
import type { RequestScope } from './types.ts';

/**
 * A copy of a scope with changes. A bare spread would lose `signal`, which requests inherit; what only the request
 * itself may ask (`assertMayCreate`) is refused: nobody has decided about it.
 */
export function derivedScope(
  scope: RequestScope,
  changes: Partial<
    Pick<RequestScope, 'resource' | 'namespace' | 'subresource' | 'dryRun' | 'user' | 'fieldManager'>
  >,
): RequestScope {
  return { ...scope, signal: scope.signal, assertMayCreate, ...changes };
}

function assertMayCreate(): Promise<void> {
  return Promise.reject(new Error('a derived operation makes no object by updating it'));
}
