/** Where a Service is: its cluster IP, its external name, or one of its endpoints; that of this API is this process. */
import type { Endpoints, Service, ServicePort } from '../api/core/v1.types.ts';
import { randomIndex, type Random } from '../base/random.ts';
import type { ApiObject } from '../meta/object.ts';

export interface Location {
  readonly host: string;
  readonly port: number;
}

/** Reads objects of the view. */
export interface ObjectReader {
  peek(collection: string, key: string): ApiObject | undefined;
}

export interface ServiceTarget {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** How Services are reached. */
export interface ServiceRouting {
  /** Endpoints of Services are used in place of cluster IPs (`--enable-aggregator-routing`). */
  readonly toEndpoints: boolean;
  /** The Service of this API, and where this process serves it; undefined where its port is not known before it listens. */
  readonly own: { readonly target: ServiceTarget; readonly location: Location } | undefined;
}

/** @throws Error if the Service is not there, or leads nowhere */
export type LocateService = (target: ServiceTarget) => Location;

const withClusterIp: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);

/** @param reader of Services and Endpoints */
export function locateService(
  reader: ObjectReader,
  routing: ServiceRouting,
  random: Pick<Random, 'number'>,
): LocateService {
  const locate = routing.toEndpoints ? locateByEndpoint(reader, random) : locateByClusterIp(reader);
  return (target) => ownLocation(target, routing) ?? locate(target);
}

/** This process, if the Service is that of its API, which need not be reachable from here. */
export function ownLocation(target: ServiceTarget, { own }: ServiceRouting): Location | undefined {
  if (!own || keyOf(own.target) !== keyOf(target) || own.target.port !== target.port) return undefined;
  return own.location;
}

/** Services by cluster IP or external name; the network of the cluster chooses the endpoint. */
export function locateByClusterIp(reader: ObjectReader): LocateService {
  return (target) => {
    const spec = specOf(reader, target);
    const type = spec.type ?? 'ClusterIP';
    if (type === 'ExternalName') return { host: spec.externalName ?? '', port: target.port };
    if (!withClusterIp.has(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`);
    const { clusterIP = '' } = spec;
    if (clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
    const { port = target.port } = portOf(spec, target);
    if (clusterIP === '') throw new Error(`service ${JSON.stringify(target.name)} has no cluster IP`);
    return { host: clusterIP, port };
  };
}

/** A random endpoint of the Service (`--enable-aggregator-routing`): for servers outside of the cluster's network. */
export function locateByEndpoint(reader: ObjectReader, random: Pick<Random, 'number'>): LocateService {
  return (target) => {
    const spec = specOf(reader, target);
    const type = spec.type ?? 'ClusterIP';
    if (!withClusterIp.has(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`);
    const { name: portName = '' } = portOf(spec, target);
    const found = reader.peek('core/endpoints', keyOf(target)) as Endpoints | undefined;
    if (!found) throw new Error(`endpoints ${JSON.stringify(target.name)} not found`);
    const ready = (found.subsets ?? []).flatMap(({ addresses, ports }) => {
      const port = (ports ?? []).find(({ name = '' }) => name === portName)?.port;
      return port === undefined || !addresses?.length ? [] : [{ addresses, port }];
    });
    // First a subset, then one of its addresses, as in kube-aggregator.
    const subset = ready[randomIndex(random, ready.length)];
    const address = subset?.addresses[randomIndex(random, subset.addresses.length)];
    if (!subset || address?.ip === undefined)
      throw new Error(`no endpoints available for service ${JSON.stringify(target.name)}`);
    return { host: address.ip, port: subset.port };
  };
}

/** The port of a Service by its number; undefined if there is none. */
export function findPort(spec: NonNullable<Service['spec']>, port: number): ServicePort | undefined {
  return (spec.ports ?? []).find((one) => one.port === port);
}

function specOf(reader: ObjectReader, target: ServiceTarget): NonNullable<Service['spec']> {
  const service = reader.peek('core/services', keyOf(target)) as Service | undefined;
  if (!service) throw new Error(`service ${JSON.stringify(target.name)} not found`);
  return service.spec ?? {};
}

function portOf(spec: NonNullable<Service['spec']>, { name, port }: ServiceTarget): ServicePort {
  const found = findPort(spec, port);
  if (!found) throw new Error(`no service port ${String(port)} found for service ${JSON.stringify(name)}`);
  return found;
}

function keyOf({ namespace, name }: ServiceTarget): string {
  return `${namespace}/${name}`;
}
