/** ServiceCIDR: ranges of addresses of services. */
import { blockText, parseBlock } from '../../base/ip-block.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, joined, nameColumn } from '../columns/columns.ts';
import { defineResource, dropStatus, keepStatus, type Stored } from '../define.ts';
import { conditionsSubresource } from '../status-conditions.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { cidr, cidrFamily } from '../validation/net.ts';
import { each, same } from '../validation/rules.ts';
import type { ServiceCIDR as RangeFields } from './v1.types.ts';

type ServiceCIDR = Stored<RangeFields>;

const path = FieldPath.of('spec').child('cidrs');

/** One range, or one of each family. */
function validate({ spec }: ServiceCIDR): FieldError[] {
  const cidrs = spec?.cidrs ?? [];
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')];
  const families = new Set(cidrs.map(cidrFamily));
  const isMixed = cidrs.length <= 2 && families.size === cidrs.length;
  return [
    ...each(cidrs, path, cidr),
    ...(isMixed ? [] : [invalid(path, cidrs, 'may only hold one value per family, and at most two')]),
  ];
}

/** The one way to write a range. */
function canonicalBlock(text: string, at: FieldPath): FieldError[] {
  const block = parseBlock(text);
  const usual = block && blockText(block);
  return usual === undefined || usual === text
    ? []
    : [invalid(at, text, `must be in canonical form ("${usual}")`)];
}

/** A range of the other family may be added; nothing else changes. */
function validateUpdate(next: ServiceCIDR, current: ServiceCIDR): FieldError[] {
  const [before, after] = [current.spec?.cidrs ?? [], next.spec?.cidrs ?? []];
  const isExtended = before.length === 1 && after.length === 2 && after[0] === before[0];
  if (isExtended) return canonicalBlock(after[1] ?? '', path.index(1));
  return same(after, before) ? [] : [invalid(path, after, 'field is immutable')];
}

export const serviceCidrs = defineResource<ServiceCIDR>({
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  versions: [
    { version: 'v1', introducedIn: '1.33' },
    {
      version: 'v1beta1',
      introducedIn: '1.31',
      deprecatedIn: '1.34',
      removedIn: '1.37',
      replacement: 'networking.{api}/v1 ServiceCIDR',
    },
    {
      version: 'v1alpha1',
      introducedIn: '1.29',
      deprecatedIn: '1.30',
      removedIn: '1.33',
      replacement: 'networking.{api}/v1beta1 ServiceCIDR',
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate,
    validateCreate: ({ spec }) => each(spec?.cidrs, path, canonicalBlock),
    validateUpdate,
  },
  subresources: [conditionsSubresource<ServiceCIDR>()],
  columns: [
    nameColumn,
    column<ServiceCIDR>('CIDRs', ({ spec }) => joined(spec?.cidrs), { description: 'The ranges.' }),
    ageColumn,
  ],
});
