/** Fields of pods that are older than the strict form of addresses. */
import { FieldPath } from '../../../meta/field-path.ts';
import { addressField, addressFields, type AddressField } from '../../validation/address-fields.ts';
import type { Maybe } from '../../validation/rules.ts';
import type { PodStatus } from '../v1.types.ts';
import type { PodPart } from './pod-warnings.ts';

const status = FieldPath.of('status');
const none: readonly AddressField[] = [];

/** Name servers, and addresses of names that a pod knows. */
export function podAddresses({ spec, path: at }: PodPart): readonly AddressField[] {
  // Of nearly every pod there are none.
  if (!spec || (!spec.dnsConfig && !spec.hostAliases)) return none;
  const path = at.child('spec');
  const servers = path.child('dnsConfig').child('nameservers');
  return [
    ...addressFields(spec.dnsConfig?.nameservers, servers),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, i) =>
      addressField(ip, path.child('hostAliases').index(i).child('ip')),
    ),
  ];
}

/** What node agents tell of a pod. */
export function podStatusAddresses(of: Maybe<PodStatus>): AddressField[] {
  return (['podIPs', 'hostIPs'] as const).flatMap((field) =>
    (of?.[field] ?? []).flatMap(({ ip }, i) => addressField(ip, status.child(field).index(i).child('ip'))),
  );
}
