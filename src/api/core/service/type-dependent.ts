/**
 * Fields of a service that its type decides on: what an update keeps for a client that leaves them out, and what goes
 * with a type that has no use for it.
 */
import { isSince } from '../../since.ts';
import type { ApiContext } from '../../types.ts';
import type { ServicePort, ServiceSpec } from '../v1.types.ts';

/** Nodes serve it at ports of their own. */
export function isReachedFromOutside({ type }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

/** A policy for traffic from outside is kept: from release 1.29 on also by a cluster address that others stand for. */
export function takesOutsideTraffic(spec: ServiceSpec, context: Pick<ApiContext, 'release'>): boolean {
  if (isReachedFromOutside(spec)) return true;
  return spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0 && isSince(context, 29);
}

/** A load balancer asks each node whether it has pods of the service. */
export function needsHealthCheck(spec: ServiceSpec): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** Ports that a client leaves out are those that the service has. Mutates the spec, not its parts. */
export function keepPorts(next: ServiceSpec, current: ServiceSpec): void {
  if (isReachedFromOutside(next) && isReachedFromOutside(current)) keepNodePorts(next, current);
  if (needsHealthCheck(next) && needsHealthCheck(current) && !next.healthCheckNodePort) {
    setOrDelete(next, 'healthCheckNodePort', current.healthCheckNodePort);
  }
}

/** By name; a port of the nodes that another port of the service now has is not kept. */
function keepNodePorts(next: ServiceSpec, current: ServiceSpec): void {
  const ports = next.ports ?? [];
  if (ports.every(({ nodePort }) => nodePort)) return;
  const used = new Set(ports.map(({ nodePort }) => nodePort));
  const byName = new Map((current.ports ?? []).map(({ name = '', nodePort }) => [name, nodePort]));
  next.ports = ports.map((port) => {
    const before = byName.get(port.name ?? '');
    return port.nodePort || !before || used.has(before) ? port : { ...port, nodePort: before };
  });
}

/** What the type has no use for goes, unless the client changed it: then validation refuses it. */
export function dropUnusedFields(next: ServiceSpec, current: ServiceSpec, context: ApiContext): void {
  if (current.type !== 'ExternalName' && next.type === 'ExternalName') dropAddresses(next, current);
  if (isReachedFromOutside(current) && !isReachedFromOutside(next)) dropNodePorts(next, current);
  if (takesOutsideTraffic(current, context) && !takesOutsideTraffic(next, context))
    setOrDelete(next, 'externalTrafficPolicy', undefined);
  if (needsHealthCheck(current) && !needsHealthCheck(next) && next.healthCheckNodePort)
    delete next.healthCheckNodePort;
  if (current.type !== 'LoadBalancer' || next.type === 'LoadBalancer') return;
  for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] as const) {
    if (next[field] != null && next[field] === current[field]) Reflect.deleteProperty(next, field);
  }
}

function dropAddresses(next: ServiceSpec, current: ServiceSpec): void {
  const isSame = next.clusterIP === current.clusterIP && isSameList(next.clusterIPs, current.clusterIPs);
  if (isSame) {
    setOrDelete(next, 'clusterIP', undefined);
    setOrDelete(next, 'clusterIPs', undefined);
  }
  if (isSameList(next.ipFamilies, current.ipFamilies)) setOrDelete(next, 'ipFamilies', undefined);
  if (next.ipFamilyPolicy === current.ipFamilyPolicy) setOrDelete(next, 'ipFamilyPolicy', undefined);
}

function dropNodePorts(next: ServiceSpec, current: ServiceSpec): void {
  const before = nodePortsOf(current);
  const ports = next.ports ?? [];
  if ([...nodePortsOf(next)].every((port) => before.has(port)) && ports.some(({ nodePort }) => nodePort))
    next.ports = ports.map(withoutNodePort);
}

function nodePortsOf({ ports = [] }: ServiceSpec): Set<number> {
  return new Set(ports.flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])));
}

function withoutNodePort({ nodePort: _nodePort, ...port }: ServicePort): ServicePort {
  return port;
}

/** A client that asks for a single stack gives up the second address by that alone. */
export function dropSecondFamily(next: ServiceSpec, current: ServiceSpec, context: ApiContext): void {
  const wasDual =
    current.ipFamilyPolicy === 'RequireDualStack' || current.ipFamilyPolicy === 'PreferDualStack';
  if (!context.isFeatureEnabled('IPv6DualStack') || !wasDual || next.ipFamilyPolicy !== 'SingleStack') return;
  for (const field of ['clusterIPs', 'ipFamilies'] as const) {
    if ((next[field] ?? []).length > 1) next[field] = (next[field] ?? []).slice(0, 1);
  }
}

/** Without dual stack a service says nothing of families, unless it has already. */
export function dropFamilies(next: ServiceSpec, current: ServiceSpec | undefined, context: ApiContext): void {
  if (context.isFeatureEnabled('IPv6DualStack') || (current && usesFamilies(current))) return;
  setOrDelete(next, 'ipFamilies', undefined);
  setOrDelete(next, 'ipFamilyPolicy', undefined);
  if ((next.clusterIPs ?? []).length > 1) next.clusterIPs = (next.clusterIPs ?? []).slice(0, 1);
}

function usesFamilies({ ipFamilyPolicy, ipFamilies = [], clusterIPs = [] }: ServiceSpec): boolean {
  return ipFamilyPolicy != null || ipFamilies.length > 0 || clusterIPs.length > 1;
}

export function isSameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

function setOrDelete<K extends keyof ServiceSpec>(spec: ServiceSpec, field: K, value: ServiceSpec[K]): void {
  if (value !== undefined) spec[field] = value;
  else if (field in spec) Reflect.deleteProperty(spec, field);
}
