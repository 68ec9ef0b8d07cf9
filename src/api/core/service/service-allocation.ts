/** What a service holds alone, and what it still needs: cluster addresses, node ports, the port of its health check. */
import { FieldPath } from '../../../meta/field-path.ts';
import type { Stored } from '../../define.ts';
import type { Allocation, ApiContext, HeldValue, MissingValue } from '../../types.ts';
import type { Service as ServiceFields, ServicePort, ServiceSpec } from '../v1.types.ts';
import { noAddress } from './addresses.ts';
import { completeFamilies, isHeadless } from './families.ts';
import { isReachedFromOutside, needsHealthCheck } from './type-dependent.ts';
import { canonicalAddress, type IpFamily } from '../../../base/ip-address.ts';
import type { ServiceRanges } from './value-range.ts';

type Service = Stored<ServiceFields>;

const path = FieldPath.of('spec');

/** Addresses in one text per address, and ports as text, as their keys have them. */
function held({ spec = {} }: Service): HeldValue[] {
  const ports = spec.ports ?? [];
  const all = [
    ...heldAddresses(spec),
    ...ports.map(({ nodePort }, i) => portAt(nodePort, path.child('ports').index(i).child('nodePort'))),
    portAt(spec.healthCheckNodePort, path.child('healthCheckNodePort')),
  ].filter((value) => value !== undefined);
  // Two protocols may share a port of the nodes.
  return [...new Map(all.map((value) => [`${value.pool}/${value.value}`, value])).values()];
}

function heldAddresses(spec: ServiceSpec): HeldValue[] {
  if (spec.type === 'ExternalName') return [];
  const given = spec.clusterIPs?.length ? spec.clusterIPs : [spec.clusterIP ?? ''];
  return given.flatMap((text) => {
    const value = text === noAddress ? undefined : canonicalAddress(text);
    return value === undefined
      ? []
      : [{ pool: 'addresses', value, path: path.child('clusterIPs'), sent: given }];
  });
}

function portAt(port: number | undefined, at: FieldPath): HeldValue | undefined {
  return port ? { pool: 'nodePorts', value: String(port), path: at, sent: port } : undefined;
}

function missing(
  service: Service,
  ranges: ServiceRanges,
  about: { isNew: boolean; context: ApiContext },
): MissingValue[] {
  const { spec } = service;
  if (!spec) return [];
  return [
    ...missingAddresses(spec, ranges, about.context),
    ...missingNodePorts(spec, about),
    ...(needsHealthCheck(spec) && !spec.healthCheckNodePort
      ? [portFor('a HealthCheck NodePort', (port) => void (spec.healthCheckNodePort = port))]
      : []),
  ];
}

function missingAddresses(
  spec: ServiceSpec,
  { addresses }: ServiceRanges,
  context: ApiContext,
): MissingValue[] {
  if (spec.type === 'ExternalName' || isHeadless(spec)) return [];
  const isDual = context.isFeatureEnabled('IPv6DualStack');
  const families = isDual ? (spec.ipFamilies ?? []) : addresses.slice(0, 1).map(({ family }) => family);
  return families.flatMap((family, i) =>
    spec.clusterIPs?.[i]
      ? []
      : [
          {
            pool: 'addresses' as const,
            family: family as IpFamily,
            what: 'a serviceIP',
            fill: (value: string) => {
              spec.clusterIPs = [...(spec.clusterIPs ?? []).slice(0, i), value];
              if (i === 0) spec.clusterIP = value;
            },
          },
        ],
  );
}

/**
 * A new service serves a port of two protocols at one port of the nodes; of a service that exists each port gets its
 * own (release 1.21).
 */
function missingNodePorts(
  spec: ServiceSpec,
  { isNew, context }: { isNew: boolean; context: ApiContext },
): MissingValue[] {
  if (!isReachedFromOutside(spec) || !takesNodePorts(spec, context)) return [];
  const open = (spec.ports ?? []).filter(({ nodePort }) => !nodePort);
  if (!isNew) return open.map((port) => portFor('a nodePort', (value) => void (port.nodePort = value)));
  const byNumber = Map.groupBy(open, ({ port }) => port ?? 0);
  const given = new Map(
    (spec.ports ?? [])
      .toReversed()
      .flatMap(({ port, nodePort }) => (nodePort ? [[port ?? 0, nodePort]] : [])),
  );
  return [...byNumber].flatMap(([number, ports]) => {
    const shared = given.get(number);
    if (shared !== undefined) setAll(ports, shared);
    return shared === undefined ? [portFor('a nodePort', (value) => setAll(ports, value))] : [];
  });
}

function setAll(ports: readonly ServicePort[], nodePort: number): void {
  for (const port of ports) port.nodePort = nodePort;
}

function takesNodePorts(spec: ServiceSpec, context: ApiContext): boolean {
  if (spec.type !== 'LoadBalancer' || !context.isFeatureEnabled('ServiceLBNodePortControl')) return true;
  return spec.allocateLoadBalancerNodePorts !== false;
}

function portFor(what: string, set: (port: number) => void): MissingValue {
  return {
    pool: 'nodePorts',
    what,
    fill: (value) => {
      set(Number(value));
    },
  };
}

export const serviceAllocation: Allocation<Service> = {
  complete: ({ spec }, { addresses }, context) => {
    if (!spec || !context.isFeatureEnabled('IPv6DualStack')) return [];
    return completeFamilies(
      spec,
      addresses.map(({ family }) => family),
      path,
    );
  },
  held,
  missing,
};
