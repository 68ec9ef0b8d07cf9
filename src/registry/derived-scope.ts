/** The scope of a further operation that a request needs: the same asker, deadline and options on something else. */
import type { RequestScope } from './types.ts';

/**
 * A copy of a scope with changes. A bare spread would lose `signal`, which requests inherit; what only the request
 * itself may ask (`assertMayCreate`) is rejected: no authorizer decided about it. It does not move: the request may have
 * stored something before, and would do so again.
 */
export function derivedScope(
  scope: RequestScope,
  changes: Partial<
    Pick<RequestScope, 'resource' | 'namespace' | 'subresource' | 'dryRun' | 'user' | 'fieldManager'>
  >,
): RequestScope {
  const { growth, ...kept } = scope;
  const stays = growth === 'stays' ? { growth } : {};
  return { ...kept, ...stays, signal: scope.signal, assertMayCreate, ...changes };
}

function assertMayCreate(): Promise<void> {
  return Promise.reject(new Error('a derived operation makes no object by updating it'));
}
