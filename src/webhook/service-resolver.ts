/** Where services are: what their objects say, otherwise the name that the cluster's DNS knows them by. */
import type { Service } from '../api/core/v1.types.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Address } from './https-transport.ts';

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** What is known of objects now. */
export interface ServiceReader {
  peek(collection: string, key: string): ApiObject | undefined;
}

/** @throws Error where the service has no such port */
export type ServiceResolver = (service: ServiceName) => Address;

/** From the replica's view: the cluster address, or the outside name that the service stands for. */
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
