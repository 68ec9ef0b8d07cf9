/** Creates the system namespaces, through the same write path as clients: at start, and again where they are gone. */
import { immortalNamespaces, type NamingProfile } from '../meta/naming.ts';
import type { RequestScope, ResourceCatalogue, ResourceVerbs } from '../registry/types.ts';
import { createMissing } from './create-missing.ts';
import type { DamagedObjects } from './damaged-objects.ts';
import { ownScope } from '../registry/write/own-writes.ts';
import type { MaintainedObject } from './services/maintained-object.ts';

export interface SystemNamespacesDeps {
  readonly naming: NamingProfile;
  readonly catalogue: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
}

/** Names of the system namespaces. */
export function systemNamespaces(naming: NamingProfile): string[] {
  return [...immortalNamespaces(naming), `${naming.systemPrefix}-node-lease`];
}

/**
 * Creates missing namespaces; replicas may run this concurrently.
 * @throws StatusError if etcd is unavailable
 */
export async function ensureSystemNamespaces(
  deps: SystemNamespacesDeps,
  signal: AbortSignal,
  damaged: DamagedObjects,
): Promise<void> {
  const ensure = (name: string): Promise<void> =>
    damaged.skipIfDamaged(`namespaces/${name}`, () => ensureNamespace(deps, name, signal));
  await Promise.all(systemNamespaces(deps.naming).map(ensure));
}

/** The same while the service runs: somebody may delete one, or replace what etcd has. */
export function maintainedNamespaces(naming: NamingProfile): MaintainedObject[] {
  return systemNamespaces(naming).map((name) => ({
    ...{ group: '', plural: 'namespaces', namespace: '', name },
    next: (current) => (current ? undefined : { metadata: { name } }),
  }));
}

function ensureNamespace(deps: SystemNamespacesDeps, name: string, signal: AbortSignal): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  return createMissing(deps.verbs, scopeOf(deps, signal), namespace);
}

function scopeOf({ catalogue }: SystemNamespacesDeps, signal: AbortSignal): RequestScope {
  const resource = catalogue.resource('', 'v1', 'namespaces');
  if (resource === undefined) throw new Error('the catalogue has no namespaces');
  return ownScope({ resource, signal });
}
