/** The namespaces that always exist; made at start through the same way in as everybody's objects. */
import { immortalNamespaces, type NamingProfile } from '../meta/naming.ts';
import { serviceUser } from '../meta/user.ts';
import type { RequestScope, ResourceCatalogue, ResourceVerbs } from '../registry/types.ts';
import { createMissing } from './create-missing.ts';
import { mayCreate } from '../registry/write/own-writes.ts';

export interface SystemNamespacesDeps {
  readonly naming: NamingProfile;
  readonly catalogue: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
}

/** Names of the namespaces that every replica makes sure of. */
export function systemNamespaces(naming: NamingProfile): string[] {
  return [...immortalNamespaces(naming), `${naming.systemPrefix}-node-lease`];
}

/** Creates those that are missing; replicas that start together may all try. @throws StatusError when etcd is away */
export async function ensureSystemNamespaces(deps: SystemNamespacesDeps, signal: AbortSignal): Promise<void> {
  await Promise.all(systemNamespaces(deps.naming).map((name) => ensureNamespace(deps, name, signal)));
}

function ensureNamespace(deps: SystemNamespacesDeps, name: string, signal: AbortSignal): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  return createMissing(deps.verbs, scopeOf(deps, signal), namespace);
}

function scopeOf({ catalogue }: SystemNamespacesDeps, signal: AbortSignal): RequestScope {
  const resource = catalogue.resource('', 'v1', 'namespaces');
  if (resource === undefined) throw new Error('the catalogue has no namespaces');
  return {
    resource,
    namespace: '',
    subresource: '',
    user: serviceUser,
    dryRun: false,
    fieldManager: 'apiserver',
    signal,
    assertMayCreate: mayCreate,
    warn: () => undefined,
  };
}
