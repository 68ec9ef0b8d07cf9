/** Creates namespaces for NamespaceAutoProvision; writes go through the registry. */
import type { NamespaceProvision } from '../../admission/namespace-auto-provision.ts';
import { seenBy, type ObjectReader } from '../../admission/object-reader.ts';
import { ObjectAlreadyExists } from '../../meta/object-errors.ts';
import { ownScope } from '../../registry/write/own-writes.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';

export interface NamespaceProvisionParts {
  readonly catalogue: ResourceCatalogue;
  /** Called lazily, as the verbs depend on admission. */
  readonly verbs: () => ResourceVerbs;
}

export function createNamespaceProvision(
  reader: ObjectReader,
  { catalogue, verbs }: NamespaceProvisionParts,
): NamespaceProvision {
  return {
    peek: (name) => seenBy(reader, 'core/namespaces', name),
    async create(name, signal): Promise<void> {
      const resource = catalogue.resource('', 'v1', 'namespaces');
      if (!resource) throw new Error('the catalogue has no namespaces');
      const scope = ownScope({ resource, signal });
      try {
        await verbs().create(scope, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      } catch (error) {
        if (!(error instanceof ObjectAlreadyExists)) throw error;
      }
    },
  };
}
