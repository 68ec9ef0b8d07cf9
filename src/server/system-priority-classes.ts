/** Creates the system priority classes at start. */
import { systemClasses } from '../api/scheduling/priority-classes.ts';
import type { RequestScope } from '../registry/types.ts';
import { createMissing } from './create-missing.ts';
import type { DamagedObjects } from './damaged-objects.ts';
import type { SystemNamespacesDeps } from './system-namespaces.ts';
import { ownScope } from '../registry/write/own-writes.ts';

/**
 * Creates missing priority classes; replicas may run this concurrently.
 * @throws StatusError if etcd is unavailable
 */
export async function ensureSystemPriorityClasses(
  deps: SystemNamespacesDeps,
  signal: AbortSignal,
  damaged: DamagedObjects,
): Promise<void> {
  const scope = scopeOf(deps, signal);
  // If no version is served, no pod can refer to one.
  if (!scope) return;
  const classes = [...systemClasses].map(([name, value]) =>
    damaged.skipIfDamaged(`priorityclasses/${name}`, () => ensure(deps, scope, { name, value })),
  );
  await Promise.all(classes);
}

function ensure(
  { verbs }: SystemNamespacesDeps,
  scope: RequestScope,
  { name, value }: { name: string; value: number },
): Promise<void> {
  const description = 'Used for what the system cannot do without; nothing takes its place.';
  return createMissing(verbs, scope, { metadata: { name }, value, description });
}

function scopeOf({ catalogue, naming }: SystemNamespacesDeps, signal: AbortSignal): RequestScope | undefined {
  const resource = catalogue.resource(`scheduling.${naming.apiDomain}`, 'v1', 'priorityclasses');
  return resource && ownScope({ resource, signal });
}
