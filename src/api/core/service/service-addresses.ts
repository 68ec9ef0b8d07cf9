/** Fields of services and of what balancers report that are older than the strict form of addresses. */
import { FieldPath } from '../../../meta/field-path.ts';
import type { Maybe } from '../../validation/rules.ts';
import { addressField, addressFields, type AddressField } from '../../validation/address-fields.ts';
import type { LoadBalancerIngress, ServiceSpec } from '../v1.types.ts';
import { noAddress } from './addresses.ts';

const spec = FieldPath.of('spec');
const ingressPath = FieldPath.of('status').child('loadBalancer').child('ingress');

/** Those of a spec; ranges may stand between blanks, as they did in the annotation that was before them. */
export function serviceAddresses(of: ServiceSpec): AddressField[] {
  const own = (of.clusterIPs ?? []).map((text) => (text === noAddress ? undefined : text));
  const ranges = (of.loadBalancerSourceRanges ?? []).map((text) => text.trim());
  return [
    ...addressFields(own, spec.child('clusterIPs')),
    ...addressFields(of.externalIPs, spec.child('externalIPs')),
    ...addressFields(ranges, spec.child('loadBalancerSourceRanges'), 'cidr'),
  ];
}

/** Addresses in the status of a service or an Ingress. */
export function balancerAddresses(ingress: Maybe<readonly LoadBalancerIngress[]>): AddressField[] {
  return (ingress ?? []).flatMap(({ ip }, i) => addressField(ip, ingressPath.index(i).child('ip')));
}
