/** NetworkPolicy: which traffic pods may have. */
import { isInside, parseBlock } from '../../base/ip-block.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, keepStatus } from '../define.ts';
import { conditionsSubresource } from '../status-conditions.ts';
import { selectorCell } from '../selector-text.ts';
import type { ApiContext, ResourceVersionDefinition } from '../types.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { addressField, addressFields, type AddressField } from '../validation/address-fields.ts';
import { cidr, portNumber, portNumberOrName } from '../validation/net.ts';
import { each, given, need, same } from '../validation/rules.ts';
import type {
  IPBlock,
  NetworkPolicy as NetworkPolicyFields,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from './v1.types.ts';

type NetworkPolicy = Stored<NetworkPolicyFields>;

const path = FieldPath.of('spec');
const maxPolicyTypes = 2;

/** A policy speaks of incoming traffic, and of outgoing traffic when it has rules for that. */
function applyDefaults(object: ApiObject): void {
  const { spec } = object as NetworkPolicy;
  if (!spec || (spec.policyTypes ?? []).length > 0) return;
  spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

function validate({ spec = {} }: NetworkPolicy): FieldError[] {
  return [
    ...validateLabelSelector(spec.podSelector, path.child('podSelector')),
    ...each(spec.ingress, path.child('ingress'), (rule, at) => [
      ...each(rule.ports, at.child('ports'), validatePort),
      ...each(rule.from, at.child('from'), validatePeer),
    ]),
    ...each(spec.egress, path.child('egress'), (rule, at) => [
      ...each(rule.ports, at.child('ports'), validatePort),
      ...each(rule.to, at.child('to'), validatePeer),
    ]),
    ...((spec.policyTypes ?? []).length > maxPolicyTypes
      ? [invalid(path.child('policyTypes'), spec.policyTypes, 'may not specify more than two policyTypes')]
      : []),
  ];
}

function validatePort({ port, endPort }: NetworkPolicyPort, at: FieldPath): FieldError[] {
  const end = at.child('endPort');
  return [
    ...given(port, at.child('port'), portNumberOrName),
    ...given(endPort, end, (value, p) => {
      if (port == null) return [required(at.child('port'), 'must be specified when `endPort` is')];
      if (typeof port === 'string') return [invalid(p, value, 'may not be specified when `port` is a name')];
      return value < port
        ? [invalid(p, value, 'must be greater than or equal to `port`')]
        : portNumber(value, p);
    }),
  ];
}

function validatePeer(peer: NetworkPolicyPeer, at: FieldPath): FieldError[] {
  const hasSelector = peer.podSelector != null || peer.namespaceSelector != null;
  if (!hasSelector && peer.ipBlock == null) return [required(at, 'must specify a peer')];
  return [
    ...validateLabelSelector(peer.podSelector, at.child('podSelector')),
    ...validateLabelSelector(peer.namespaceSelector, at.child('namespaceSelector')),
    ...(hasSelector && peer.ipBlock != null
      ? [forbidden(at, 'may not specify both ipBlock and another peer')]
      : given(peer.ipBlock, at.child('ipBlock'), validateBlock)),
  ];
}

/** Exceptions lie strictly inside the block. */
function validateBlock(block: IPBlock, at: FieldPath): FieldError[] {
  const outer = parseBlock(block.cidr ?? '');
  return [
    ...need(block.cidr, at.child('cidr'), cidr),
    ...each(block.except, at.child('except'), (except, p) => {
      const inner = parseBlock(except);
      return outer && inner && !isInside(inner, outer)
        ? [invalid(p, except, 'must be a strict subset of `cidr`')]
        : cidr(except, p);
    }),
  ];
}

/** Blocks of all peers. */
function addresses({ spec }: NetworkPolicy): AddressField[] {
  const peers = (field: 'ingress' | 'egress', end: 'from' | 'to'): AddressField[] =>
    (spec?.[field] ?? []).flatMap((rule, i) =>
      ((rule as NetworkPolicyIngressRule & NetworkPolicyEgressRule)[end] ?? []).flatMap(({ ipBlock }, j) => {
        const at = path.child(field).index(i).child(end).index(j).child('ipBlock');
        return [
          ...addressField(ipBlock?.cidr, at.child('cidr'), 'cidr'),
          ...addressFields(ipBlock?.except, at.child('except'), 'cidr'),
        ];
      }),
    );
  return [...peers('ingress', 'from'), ...peers('egress', 'to')];
}

function ports(spec: NetworkPolicySpec | undefined): NetworkPolicyPort[] {
  return [...(spec?.ingress ?? []), ...(spec?.egress ?? [])].flatMap((rule) => rule.ports ?? []);
}

const statusGate = 'NetworkPolicyStatus';

function prepareForCreate(policy: NetworkPolicy, context: ApiContext): void {
  if (context.isFeatureEnabled(statusGate)) delete policy.status;
  dropDisabled(policy, undefined, context);
}

function prepareForUpdate(next: NetworkPolicy, current: NetworkPolicy, context: ApiContext): void {
  if (context.isFeatureEnabled(statusGate) || (current.status?.conditions ?? []).length > 0)
    keepStatus(next, current);
  dropDisabled(next, current, context);
}

/** Ranges of ports are behind their gate. */
function dropDisabled(next: NetworkPolicy, current: NetworkPolicy | undefined, context: ApiContext): void {
  const isUsed = ports(current?.spec).some(({ endPort }) => endPort != null);
  if (context.isFeatureEnabled('NetworkPolicyEndPort') || isUsed) return;
  for (const port of ports(next.spec)) delete port.endPort;
}

export const extensionsNetworkPolicy: ResourceVersionDefinition = {
  version: 'v1beta1',
  served: false,
  deprecatedIn: '1.9',
  removedIn: '1.16',
  replacement: 'networking.{api}/v1 NetworkPolicy',
  applyDefaults,
};

export const networkPolicies = defineResource<NetworkPolicy>({
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  namespaced: true,
  versions: [{ version: 'v1', applyDefaults }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate,
    prepareForUpdate,
    validate,
    addresses,
  },
  subresources: [
    {
      ...conditionsSubresource<NetworkPolicy>(),
      introducedIn: '1.24',
      removedIn: '1.28',
      featureGate: statusGate,
    },
  ],
  columns: [
    nameColumn,
    column<NetworkPolicy>('Pod-Selector', ({ spec }) => selectorCell(spec?.podSelector), {
      description: 'Labels of the pods that it speaks of.',
    }),
    ageColumn,
  ],
});
