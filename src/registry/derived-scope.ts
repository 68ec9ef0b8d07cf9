/** The scope of a derived operation: same user, deadline and options, another object. */
import type { RequestScope } from './types.ts';

/**
 * A copy of a scope with changes. A spread would lose `signal`, which is inherited. `assertMayCreate` rejects, as no
 * authorizer has decided about the derived operation. It does not move to a write thread: the request may already
 * have stored something and would repeat it.
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
  return Promise.reject(new Error('a derived update cannot create an object'));
}
