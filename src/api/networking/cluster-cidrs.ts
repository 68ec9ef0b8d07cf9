/** ClusterCIDR: ranges that nodes get blocks of addresses for their pods from (releases 1.25 to 1.28). */
import { parseBlock } from '../../base/ip-block.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { validateNodeSelector } from '../core/pod/affinity.ts';
import { defineResource, type Stored } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, unchanged } from '../validation/rules.ts';
import type { ClusterCIDR as ClusterFields, ClusterCIDRSpec } from './v1alpha1.types.ts';

type ClusterCIDR = Stored<ClusterFields>;

const path = FieldPath.of('spec');
const leastHostBits = 4;
const families = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;

function validate({ spec = {} }: ClusterCIDR): FieldError[] {
  const ranges = [...rangeErrors(spec, 'ipv4'), ...rangeErrors(spec, 'ipv6')];
  return [
    ...given(spec.nodeSelector, path.child('nodeSelector'), validateNodeSelector),
    ...(spec.ipv4 || spec.ipv6
      ? ranges
      : [required(path, 'one or both of `ipv4` and `ipv6` must be specified')]),
  ];
}

/** Each node gets a block with so many bits of its own out of the range. */
function rangeErrors(spec: ClusterCIDRSpec, field: 'ipv4' | 'ipv6'): FieldError[] {
  const text = spec[field] ?? '';
  if (text === '') return [];
  const at = path.child(field);
  const block = parseBlock(text);
  if (block?.address.family !== families[field])
    return [invalid(at, text, `must be a valid ${families[field]} CIDR`)];
  const most = (field === 'ipv4' ? 32 : 128) - block.bits;
  const bits = spec.perNodeHostBits ?? 0;
  return bits < leastHostBits || bits > most
    ? [
        invalid(
          path.child('perNodeHostBits'),
          bits,
          `must be between ${String(leastHostBits)} and ${String(most)}, which are left by \`${field}\``,
        ),
      ]
    : [];
}

/** Nodes may have got blocks of it already. */
function validateUpdate(next: ClusterCIDR, current: ClusterCIDR): FieldError[] {
  return unchanged(next.spec, current.spec, path);
}

export const clusterCidrs = defineResource<ClusterCIDR>({
  kind: 'ClusterCIDR',
  plural: 'clustercidrs',
  shortNames: ['cc'],
  namespaced: false,
  versions: [{ version: 'v1alpha1', introducedIn: '1.25', deprecatedIn: '1.28', removedIn: '1.29' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => unchanged(next.spec, current.spec, path).length > 0,
    validate,
    validateUpdate,
  },
  columns: [
    nameColumn,
    column<ClusterCIDR>('PerNodeHostBits', ({ spec }) => String(spec?.perNodeHostBits ?? 0), {
      description: "How many bits of an address are the node's own.",
    }),
    column<ClusterCIDR>('IPv4', ({ spec }) => spec?.ipv4 || '<none>', { description: 'The IPv4 range.' }),
    column<ClusterCIDR>('IPv6', ({ spec }) => spec?.ipv6 || '<none>', { description: 'The IPv6 range.' }),
    ageColumn,
  ],
});
