/** The ranges of ServiceCIDR objects, from which services get addresses beside those of the configuration (KEP-1880). */
import { AddressRange } from '../../api/core/service/value-range.ts';
import type { ServiceCIDR as RangeFields } from '../../api/networking/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { CollectionId, Entry, Storage } from '../../storage/types.ts';
import { entryObject } from '../written-entry.ts';

type ServiceCIDR = Stored<RangeFields>;

export function serviceCidrCollection({ apiDomain }: Pick<NamingProfile, 'apiDomain'>): CollectionId {
  return `networking.${apiDomain}/servicecidrs`;
}

/** Of objects of kind IPAddress. */
export function addressCollection({ apiDomain }: Pick<NamingProfile, 'apiDomain'>): CollectionId {
  return `networking.${apiDomain}/ipaddresses`;
}

/** A stored object is parsed once. */
const known = new WeakMap<Entry, readonly AddressRange[]>();

/**
 * The ranges from which addresses may be taken now, by name of their objects. Those of objects that are being deleted, or of
 * which a controller says that they are not ready, give no more.
 */
export function readyRanges(
  storage: Pick<Storage, 'view'>,
  collection: CollectionId,
): readonly AddressRange[] {
  const found: AddressRange[] = [];
  for (const entry of storage.view(collection).entries('', '')) {
    const ranges = known.get(entry) ?? rangesIn(entry);
    known.set(entry, ranges);
    found.push(...ranges);
  }
  return found;
}

function rangesIn(entry: Entry): readonly AddressRange[] {
  const { metadata, spec, status } = entryObject(entry) as ServiceCIDR;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  // Where no controller says anything, it is ready.
  if (metadata.deletionTimestamp != null || (ready && ready.status !== 'True')) return [];
  return (spec?.cidrs ?? []).map((text) => AddressRange.parse(text)).filter((range) => range !== undefined);
}
