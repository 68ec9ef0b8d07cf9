/** How full the ranges of addresses and node ports are, counted in the watch cache when metrics are read. */
import type { ServiceRanges, ValueRange } from '../../api/core/service/value-range.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import { poolCollections } from '../../registry/allocation/claims.ts';
import type { CollectionSnapshot, Storage } from '../../storage/types.ts';

type FillMetrics = Pick<ServerMetrics, 'allocatedIps' | 'availableIps' | 'allocatedPorts' | 'availablePorts'>;

/** Values that were allocated by another configuration, outside of the ranges, count like those in them. */
export function showAllocationFill(
  storage: Pick<Storage, 'view'>,
  { addresses, nodePorts }: ServiceRanges,
  metrics: FillMetrics,
): void {
  metrics.allocatedIps.onScrape(() => {
    const held = storage.view(poolCollections.addresses);
    for (const range of addresses) {
      const count = addresses.length === 1 ? held.size : sizeOfFamily(held, range);
      metrics.allocatedIps.series({ cidr: range.text }).set(count);
      metrics.availableIps.series({ cidr: range.text }).set(Math.max(0, range.size - count));
    }
  });
  metrics.allocatedPorts.onScrape(() => {
    const { size } = storage.view(poolCollections.nodePorts);
    metrics.allocatedPorts.series().set(size);
    metrics.availablePorts.series().set(Math.max(0, nodePorts.size - size));
  });
}

/** There is one range of each family. Told by the text: a range may hold 65,536 addresses, too many to be parsed. */
function sizeOfFamily(held: CollectionSnapshot, { family }: ValueRange): number {
  let count = 0;
  for (const { key } of held.entries('', '')) if (key.includes(':') === (family === 'IPv6')) count += 1;
  return count;
}
