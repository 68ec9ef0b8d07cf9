/**
 * IP families of a service (KEP-563, release 1.21): which it gets from what it says and from the families of the
 * cluster, and what it may not ask for.
 */
import type { FieldError } from '../../../meta/field-error.ts';
import { invalid } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import type { ServiceSpec } from '../v1.types.ts';
import { noAddress } from './addresses.ts';
import { parseAddress, type IpFamily } from '../../../base/ip-address.ts';

/** Whether the service has endpoints but no address. */
export function isHeadless(spec: ServiceSpec): boolean {
  return (spec.clusterIPs?.[0] ?? spec.clusterIP) === noAddress;
}

/**
 * Completes `ipFamilies` and `ipFamilyPolicy`. Mutates the spec, not its lists.
 * @param families those of the configured ranges, the default first
 */
export function completeFamilies(
  spec: ServiceSpec,
  families: readonly IpFamily[],
  path: FieldPath,
): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const asked = [...policyErrors(spec, path), ...inferFamilies(spec, families, path)];
  if (asked.length > 0) return asked;
  if (spec.ipFamilies?.length === 2) spec.ipFamilyPolicy ??= 'RequireDualStack';
  if (isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0) {
    // Who makes the endpoints may give them any family, whatever the cluster has.
    spec.ipFamilyPolicy ??= 'RequireDualStack';
    addFamilies(spec, families[0] ?? 'IPv4', spec.ipFamilyPolicy !== 'SingleStack');
    return [];
  }
  const unserved = unservedErrors(spec, families, path);
  if (unserved.length > 0) return unserved;
  spec.ipFamilyPolicy ??= 'SingleStack';
  addFamilies(spec, families[0] ?? 'IPv4', spec.ipFamilyPolicy !== 'SingleStack' && families.length === 2);
  return [];
}

function policyErrors(spec: ServiceSpec, path: FieldPath): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return [];
  return (['clusterIPs', 'ipFamilies'] as const)
    .filter((field) => spec[field]?.length === 2)
    .map((field) =>
      invalid(
        path.child('ipFamilyPolicy'),
        spec.ipFamilyPolicy,
        `must be RequireDualStack or PreferDualStack when multiple '${field}' are specified`,
      ),
    );
}

/** Addresses without a family have the one that they are written in. */
function inferFamilies(spec: ServiceSpec, families: readonly IpFamily[], path: FieldPath): FieldError[] {
  if (isHeadless(spec)) return [];
  const known = spec.ipFamilies ?? [];
  const addresses = spec.clusterIPs ?? [];
  const inferred = addresses.slice(known.length).map((text) => parseAddress(text)?.family ?? 'IPv4');
  if (inferred.length > 0) spec.ipFamilies = [...known, ...inferred];
  return inferred.flatMap((family, i) =>
    families.includes(family)
      ? []
      : [
          invalid(
            path.child('clusterIPs').index(known.length + i),
            addresses,
            `may not use ${family} on a cluster which is not configured for it`,
          ),
        ],
  );
}

function unservedErrors(spec: ServiceSpec, families: readonly IpFamily[], path: FieldPath): FieldError[] {
  const needsTwo = spec.ipFamilyPolicy === 'RequireDualStack' && families.length < 2;
  return [
    ...(needsTwo
      ? [
          invalid(
            path.child('ipFamilyPolicy'),
            spec.ipFamilyPolicy,
            'Cluster is not configured for dual stack services',
          ),
        ]
      : []),
    ...(spec.ipFamilies ?? []).flatMap((family, i) =>
      families.some((served) => served === family)
        ? []
        : [
            invalid(
              path.child('ipFamilies').index(i),
              family,
              `ipfamily ${family} is not configured on cluster`,
            ),
          ],
    ),
  ];
}

function addFamilies(spec: ServiceSpec, first: IpFamily, needsBoth: boolean): void {
  const asked = spec.ipFamilies?.length ? spec.ipFamilies : [first];
  const other = asked[0] === 'IPv4' ? 'IPv6' : 'IPv4';
  spec.ipFamilies = needsBoth && asked.length === 1 ? [...asked, other] : asked;
}
