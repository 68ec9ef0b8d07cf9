/** Resolves the addresses of services that webhooks name. */
import type { Service } from '../api/core/v1.types.ts';
import type { Random } from '../base/random.ts';
import type { Address } from './https-transport.ts';
import {
  findPort,
  locateByEndpoint,
  ownLocation,
  type ObjectReader,
  type ServiceRouting,
  type ServiceTarget,
} from './service-location.ts';

/** @throws Error if the service has no such port, or no endpoints where these are used */
export type ServiceResolver = (service: ServiceTarget) => Address;

/**
 * Resolves the cluster IP or external name of a service from the view, otherwise its cluster DNS name; by the routing,
 * one of its endpoints.
 */
export function createServiceResolver(
  reader: ObjectReader,
  routing: ServiceRouting,
  random: Pick<Random, 'number'>,
): ServiceResolver {
  const byEndpoint = locateByEndpoint(reader, random);
  return (service) => {
    const own = ownLocation(service, routing);
    if (own) return own;
    const { namespace, name, port } = service;
    const { spec } = (reader.peek('core/services', `${namespace}/${name}`) ?? {}) as Pick<Service, 'spec'>;
    if (spec?.type === 'ExternalName') return { host: spec.externalName ?? '', port };
    if (spec && routing.toEndpoints) return byEndpoint(service);
    if (spec && !findPort(spec, port))
      throw new Error(`no service port ${String(port)} found for service ${JSON.stringify(name)}`);
    const { clusterIP = '' } = spec ?? {};
    const isAddress = clusterIP !== '' && clusterIP !== 'None';
    return { host: isAddress ? clusterIP : `${name}.${namespace}.svc`, port };
  };
}
