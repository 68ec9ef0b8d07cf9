/** Node: a machine that runs pods. */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, forbidden, invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, keepSpec, keepStatus, statusSubresource } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { labelValue, validateLabelName } from '../validation/labels.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { addressFields } from '../validation/address-fields.ts';
import { cidr, cidrFamily } from '../validation/net.ts';
import { quantity, roundUpQuantities } from '../validation/quantities.ts';
import type { Maybe } from '../validation/rules.ts';
import { each, eachValue, invalidEach, need, repeated, same } from '../validation/rules.ts';
import { proxyConnection } from './connect-subresources.ts';
import type { Node as NodeFields, NodeSpec, NodeStatus, Taint } from './v1.types.ts';

type Node = Stored<NodeFields>;

const path = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

/** The single range and the first of the list are one value; what can be allocated is at first all there is. */
function applyDefaults(object: ApiObject): void {
  const { spec, status } = object as Node;
  if (spec?.podCIDR && (spec.podCIDRs ?? []).length === 0) spec.podCIDRs = [spec.podCIDR];
  else if (spec?.podCIDRs?.[0] && !spec.podCIDR) spec.podCIDR = spec.podCIDRs[0];
  if (status?.capacity) {
    roundUpQuantities(status.capacity);
    status.allocatable ??= { ...status.capacity };
  }
  if (status?.allocatable) roundUpQuantities(status.allocatable);
}

/** From release 1.33 on nothing is kept of a version of the proxy that the node agent never knew (KEP-4004). */
function dropProxyVersion({ status }: Node, { isFeatureEnabled }: ApiContext): void {
  const info = status?.nodeInfo;
  if (info && isFeatureEnabled('DisableNodeKubeProxyVersion')) info.kubeProxyVersion = '';
}

function validate(node: Node): FieldError[] {
  const spec = node.spec ?? {};
  return [
    ...validateTaints(spec.taints, path.child('taints')),
    ...validateRanges(spec, path.child('podCIDRs')),
    ...validateStatus(node.status ?? {}),
  ];
}

function validateTaints(taints: Maybe<readonly Taint[]>, at: FieldPath): FieldError[] {
  return [
    ...each(taints, at, (taint, p) => [
      ...validateLabelName(taint.key ?? '', p.child('key')),
      ...invalidEach(taint.value ?? '', p.child('value'), labelValue(taint.value ?? '')),
      ...need(taint.effect, p.child('effect')),
    ]),
    ...repeated(taints, at, ({ key, effect }) => ({ value: `${key ?? ''}:${effect ?? ''}` })),
  ];
}

function validateRanges(spec: NodeSpec, at: FieldPath): FieldError[] {
  const ranges = spec.podCIDRs ?? [];
  const isOneFamily = ranges.length === 2 && cidrFamily(ranges[0] ?? '') === cidrFamily(ranges[1] ?? '');
  return [
    ...each(ranges, at, cidr),
    ...(ranges.length > 2 || isOneFamily
      ? [invalid(at, ranges, 'may specify no more than one CIDR for each IP family')]
      : []),
  ];
}

function validateStatus(status: NodeStatus): FieldError[] {
  return [
    ...eachValue(status.capacity, statusPath.child('capacity'), quantity),
    ...eachValue(status.allocatable, statusPath.child('allocatable'), quantity),
  ];
}

/** Most fields of a node's spec can be set only once. */
function validateUpdate(next: Node, current: Node): FieldError[] {
  const to = next.spec ?? {};
  const from = current.spec ?? {};
  return [
    ...addressErrors(next),
    ...onceSet(from.podCIDRs?.length ? from.podCIDRs : undefined, to.podCIDRs, 'podCIDRs', 'podCIDR'),
    ...onceSet(from.providerID || undefined, to.providerID, 'providerID', 'providerID'),
    ...(same(fixedPart(to), fixedPart(from))
      ? []
      : [
          forbidden(
            path,
            'node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)',
          ),
        ]),
  ];
}

function addressErrors({ status }: Node): FieldError[] {
  const seen = new Set<string>();
  return each(status?.addresses, statusPath.child('addresses'), (address, at) => {
    const text = canonicalJson(address as JsonObject);
    if (seen.has(text)) return [duplicate(at, address)];
    seen.add(text);
    return [];
  });
}

function onceSet(from: unknown, to: unknown, field: string, word: string): FieldError[] {
  return from === undefined || same(from, to)
    ? []
    : [forbidden(path.child(field), `node updates may not change ${word} except from "" to valid`)];
}

/** The spec without what has its own rule or may change; false and missing are the same. */
function fixedPart(spec: NodeSpec): object {
  const { externalID } = spec;
  return externalID ? { externalID } : {};
}

function statusText({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const state = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function roles({ metadata }: Node, naming: NamingProfile): string {
  const prefix = `node-role.${naming.labelDomain}/`;
  const found = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return [key.slice(prefix.length)];
    return key === `${naming.labelDomain}/role` ? [value] : [];
  });
  return [...new Set(found.filter((role) => role !== ''))].sort().join(',') || '<none>';
}

function address({ status }: Node, type: string): string {
  return status?.addresses?.find((entry) => entry.type === type)?.address ?? '<none>';
}

export const nodes = defineResource<Node>({
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  namespaced: false,
  versions: [{ version: 'v1', applyDefaults }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: dropProxyVersion,
    prepareForUpdate: keepStatus,
    validate,
    validateUpdate,
    addresses: ({ spec }) => addressFields(spec?.podCIDRs, path.child('podCIDRs'), 'cidr'),
  },
  subresources: [
    statusSubresource<Node>({
      prepareForUpdate: (next, current, context) => {
        keepSpec(next, current);
        dropProxyVersion(next, context);
      },
      validateUpdate: (next) => [...validateStatus(next.status ?? {}), ...addressErrors(next)],
    }),
    proxyConnection('NodeProxyOptions', 'proxy-to-node'),
  ],
  columns: [
    nameColumn,
    column<Node>('Status', statusText, { description: 'Whether the node takes pods.' }),
    column<Node>('Roles', (node, naming) => roles(node, naming), { description: 'Roles by label.' }),
    ageColumn,
    column<Node>('Version', ({ status }) => status?.nodeInfo?.kubeletVersion, {
      description: 'Version of the node agent.',
    }),
    wideColumn<Node>('Internal-IP', (node) => address(node, 'InternalIP'), 'Address inside the cluster.'),
    wideColumn<Node>('External-IP', (node) => address(node, 'ExternalIP'), 'Address for the world outside.'),
    wideColumn<Node>(
      'OS-Image',
      ({ status }) => status?.nodeInfo?.osImage || '<unknown>',
      'Operating system.',
    ),
    wideColumn<Node>(
      'Kernel-Version',
      ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>',
      'Kernel.',
    ),
    wideColumn<Node>(
      'Container-Runtime',
      ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>',
      'What runs containers.',
    ),
  ],
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable === true) },
});
