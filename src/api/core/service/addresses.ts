/** Cluster addresses of a service and their families. */
import type { FieldError } from '../../../meta/field-error.ts';
import { duplicate, forbidden, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { ipAddress, ipFamily } from '../../validation/net.ts';
import type { ServiceSpec } from '../v1.types.ts';
import { isSameList } from './type-dependent.ts';

/** A service that is only a name: it has endpoints, but no address of its own. */
export const noAddress = 'None';
const maxAddresses = 2;

export function validateAddresses(spec: ServiceSpec, path: FieldPath): FieldError[] {
  if (spec.type === 'ExternalName') return externalNameErrors(spec, path);
  return [...clusterIpErrors(spec, path), ...familyErrors(spec, path), ...headlessErrors(spec, path)];
}

function externalNameErrors(spec: ServiceSpec, path: FieldPath): FieldError[] {
  const lists = (['clusterIPs', 'ipFamilies'] as const).filter((field) => (spec[field] ?? []).length > 0);
  const texts = (['clusterIP', 'ipFamilyPolicy'] as const).filter((field) => spec[field]);
  return [...texts, ...lists].map((field) =>
    forbidden(path.child(field), 'may not be set for ExternalName services'),
  );
}

function clusterIpErrors(spec: ServiceSpec, path: FieldPath): FieldError[] {
  const addresses = spec.clusterIPs ?? [];
  const at = path.child('clusterIPs');
  const first = addresses[0];
  return [
    ...(first !== undefined && !spec.clusterIP
      ? [forbidden(at, 'cannot be set without also setting clusterIP')]
      : []),
    ...(spec.clusterIP && first !== spec.clusterIP
      ? [
          first === undefined
            ? required(at)
            : invalid(at.index(0), first, 'first value must match `clusterIP`'),
        ]
      : []),
    ...(addresses.length > maxAddresses ? [invalid(at, addresses, 'may only hold up to 2 values')] : []),
    ...addresses
      .slice(0, maxAddresses)
      .flatMap((address, i) => addressErrors(address, i, { all: addresses, at })),
  ];
}

function addressErrors(
  address: string,
  position: number,
  { all, at }: { readonly all: readonly string[]; readonly at: FieldPath },
): FieldError[] {
  const path = at.index(position);
  if (position === 1 && all[0] === address) return [duplicate(path, address)];
  if (address !== noAddress) return ipAddress(address, path);
  return all.length > 1 ? [invalid(path, address, "may not be mixed with other addresses when 'None'")] : [];
}

function familyErrors(spec: ServiceSpec, path: FieldPath): FieldError[] {
  const families = spec.ipFamilies ?? [];
  const at = path.child('ipFamilies');
  const addresses = (spec.clusterIPs ?? []).filter((address) => address !== noAddress);
  const addressFamilies = addresses.map((address) => ({ 4: 'IPv4', 6: 'IPv6' })[ipFamily(address) ?? 4]);
  return [
    ...(families.length > maxAddresses ? [invalid(at, families, 'may only hold up to 2 values')] : []),
    ...(families.length === maxAddresses && families[0] === families[1]
      ? [duplicate(at.index(1), families[1])]
      : []),
    ...(addresses.length === maxAddresses && addressFamilies[0] === addressFamilies[1]
      ? [
          invalid(
            path.child('clusterIPs'),
            spec.clusterIPs,
            'may specify no more than one IP for each IP family',
          ),
        ]
      : []),
    ...addresses
      .slice(0, maxAddresses)
      .flatMap((address, i) =>
        families[i] !== undefined && ipFamily(address) !== undefined && families[i] !== addressFamilies[i]
          ? [
              invalid(
                path.child('clusterIPs').index(i),
                address,
                `expected an ${families[i]} value as indicated by \`ipFamilies[${String(i)}]\``,
              ),
            ]
          : [],
      ),
  ];
}

function headlessErrors(spec: ServiceSpec, path: FieldPath): FieldError[] {
  const isHeadless = (spec.clusterIPs?.[0] ?? spec.clusterIP) === noAddress;
  return isHeadless && (spec.type === 'NodePort' || spec.type === 'LoadBalancer')
    ? [
        invalid(
          path.child('clusterIPs').index(0),
          noAddress,
          `may not be set to 'None' for ${spec.type} services`,
        ),
      ]
    : [];
}

/** `clusterIP` and the first of `clusterIPs` are one value; the list is filled from the single field. */
export function alignAddresses(spec: ServiceSpec): void {
  if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
}

/**
 * An update that speaks of one of the two fields means both; what it leaves out stays as it was, unless the service
 * becomes or was an alias. Mutates the spec, not its lists.
 */
export function alignChangedAddresses(next: ServiceSpec, current: ServiceSpec): void {
  const isAlias = next.type === 'ExternalName' || current.type === 'ExternalName';
  if (!isAlias && !next.clusterIP && current.clusterIP) next.clusterIP = current.clusterIP;
  const isSame = (next.clusterIP ?? '') === (current.clusterIP ?? '');
  if (isEmpty(next.clusterIPs) && current.clusterIPs && (isSame || !isAlias))
    next.clusterIPs = current.clusterIPs;
  if (isSame || !isSameList(next.clusterIPs, current.clusterIPs)) return;
  if (next.clusterIP) next.clusterIPs = [next.clusterIP];
  else if (next.clusterIPs) delete next.clusterIPs;
}

function isEmpty(list: readonly string[] | undefined): boolean {
  return (list ?? []).length === 0;
}

/**
 * Addresses are fixed once given, unless the service becomes or was a mere alias. A second one may be added, or given
 * up together with dual stack.
 */
export function validateAddressChange(
  next: ServiceSpec,
  current: ServiceSpec,
  path: FieldPath,
): FieldError[] {
  if (next.type === 'ExternalName' || current.type === 'ExternalName') return [];
  const [isHeadless, wasHeadless] = [next, current].map((spec) => spec.clusterIPs?.[0] === noAddress);
  if (isHeadless && wasHeadless) return [];
  const unset = (current.clusterIPs ?? []).length > 0 && (next.clusterIPs ?? []).length === 0;
  return [
    ...(unset ? [invalid(path.child('clusterIPs').index(0), '', 'primary clusterIP can not be unset')] : []),
    ...listChange('clusterIPs', next, current, path),
    ...(isHeadless === wasHeadless ? listChange('ipFamilies', next, current, path) : []),
  ];
}

function listChange(
  field: 'clusterIPs' | 'ipFamilies',
  next: ServiceSpec,
  current: ServiceSpec,
  path: FieldPath,
): FieldError[] {
  const to = next[field] ?? [];
  const from = current[field] ?? [];
  const at = path.child(field);
  const isReleased = from.length > 1 && to.length === 1;
  return [
    ...to.flatMap((value, i) =>
      i < from.length && value !== from[i] ? [invalid(at.index(i), value, 'may not change once set')] : [],
    ),
    ...(isReleased && next.ipFamilyPolicy !== 'SingleStack'
      ? [
          invalid(
            at.index(0),
            to,
            `\`ipFamilyPolicy\` must be set to 'SingleStack' when releasing the second of \`${field}\``,
          ),
        ]
      : []),
  ];
}
