/** Resolves service addresses from Service objects, otherwise by cluster DNS names. */
import type { Service } from '../api/core/v1.types.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Address } from './https-transport.ts';

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Reads Services from the view. */
export interface ServiceReader {
  peek(collection: string, key: string): ApiObject | undefined;
}

/** @throws Error if the service has no such port */
export type ServiceResolver = (service: ServiceName) => Address;

/** Resolves the cluster IP or external name of a service from the view. */
export function createServiceResolver(reader: ServiceReader): ServiceResolver {
  return ({ namespace, name, port }) => {
    const { spec } = (reader.peek('core/services', `${namespace}/${name}`) ?? {}) as Pick<Service, 'spec'>;
    if (spec?.type === 'ExternalName') return { host: spec.externalName ?? '', port };
    if (spec && !(spec.ports ?? []).some((one) => one.port === port))
      throw new Error(`no service port ${String(port)} found for service ${JSON.stringify(name)}`);
    const { clusterIP = '' } = spec ?? {};
    const isAddress = clusterIP !== '' && clusterIP !== 'None';
    return { host: isAddress ? clusterIP : `${name}.${namespace}.svc`, port };
  };
}
