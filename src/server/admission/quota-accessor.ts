/** Accesses quotas, whose status records the usage; writes go through the registry. */
import { SharedCharges } from '../../admission/shared-charges.ts';
import type { Clock } from '../../base/clock.ts';
import type { QuotaAccessor, ResourceQuota } from '../../admission/resource-quota.ts';
import { asApiObject, asJson } from '../../meta/object.ts';
import { ownScope } from '../../registry/write/own-writes.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';

export interface QuotaLedgerParts {
  readonly catalogue: ResourceCatalogue;
  /** Called lazily, as the verbs depend on admission. */
  readonly verbs: () => ResourceVerbs;
}

/** Writes that wait for the same quota share updates of it. */
export function createQuotaAccessor({ catalogue, verbs }: QuotaLedgerParts, clock: Clock): QuotaAccessor {
  const accessor: QuotaAccessor = {
    async update(namespace, name, change, signal): Promise<void> {
      const resource = catalogue.resource('', 'v1', 'resourcequotas');
      if (!resource) throw new Error('the catalogue has no resourcequotas');
      const scope = ownScope({ resource, namespace, signal, subresource: 'status' });
      await verbs().patch(scope, name, (current) => {
        const quota = asApiObject(current) as ResourceQuota;
        return asJson({ ...quota, status: change(quota) });
      });
    },
  };
  return new SharedCharges(accessor, clock);
}
