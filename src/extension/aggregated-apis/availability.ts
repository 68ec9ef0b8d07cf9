/** The condition `Available` of an APIService, with the reasons and messages of kube-aggregator. */
import type { Endpoints, Service } from '../../api/core/v1.types.ts';
import { availableType, type Backend } from './registered-service.ts';
import { findPort, type ObjectReader } from '../../webhook/service-location.ts';

/** Without its time. */
export interface Finding {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export const local = finding('True', 'Local', 'Local APIServices are always available');
export const passed = finding('True', 'Passed', 'all checks passed');

export function failedDiscovery(message: string): Finding {
  return finding('False', 'FailedDiscoveryCheck', message);
}

/** What the objects say; undefined if nothing is wrong with them, so that the server has to be asked. */
export function checkObjects(backend: Backend, reader: ObjectReader): Finding | undefined {
  const { namespace, name, port } = backend;
  const key = `${namespace}/${name}`;
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = reader.peek('core/services', key) as Service | undefined;
  if (!service) return finding('False', 'ServiceNotFound', `${where} is not present`);
  const spec = service.spec ?? {};
  if ((spec.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const found = findPort(spec, port);
  if (!found)
    return finding('False', 'ServicePortError', `${where} is not listening on port ${String(port)}`);
  const endpoints = reader.peek('core/endpoints', key) as Endpoints | undefined;
  if (!endpoints) return finding('False', 'EndpointsNotFound', `cannot find endpoints for ${where}`);
  const { name: portName = '' } = found;
  if (hasAddress(endpoints, portName)) return undefined;
  const lacking = `have no addresses with port name ${JSON.stringify(portName)}`;
  return finding('False', 'MissingEndpoints', `endpoints for ${where} ${lacking}`);
}

function hasAddress({ subsets }: Endpoints, portName: string): boolean {
  return (subsets ?? []).some(
    ({ addresses, ports }) =>
      (addresses ?? []).length > 0 && (ports ?? []).some(({ name = '' }) => name === portName),
  );
}

function finding(status: 'True' | 'False', reason: string, message: string): Finding {
  return { type: availableType, status, reason, message };
}
