/** How this process reaches Services, from its configuration. */
import { namingProfiles } from '../../meta/naming.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import type { ServiceRouting } from '../../webhook/service-location.ts';
import { servicePort } from './api-service.ts';
import { localHost } from '../local-host.ts';

export interface RoutingConfig extends Pick<CompletedConfig, 'bindAddress' | 'securePort' | 'naming'> {
  readonly aggregation: Pick<CompletedConfig['aggregation'], 'routesToEndpoints'>;
}

/** @returns routing that knows the own Service unless the port is chosen by the system (`--secure-port=0`) */
export function serviceRouting({
  aggregation,
  bindAddress,
  securePort,
  naming,
}: RoutingConfig): ServiceRouting {
  const target = { namespace: 'default', name: namingProfiles[naming].serviceName, port: servicePort };
  const location = { host: localHost(bindAddress), port: securePort };
  return {
    toEndpoints: aggregation.routesToEndpoints,
    own: securePort === 0 ? undefined : { target, location },
  };
}
