/**
 * The Service of the API in namespace `default`, by which pods reach it: at the first address of the first range
 * (release 1.21, `pkg/controlplane/controller.go`). An existing one is left alone.
 */
import { parseServiceRanges } from '../../api/core/service/value-range.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ServiceConfig } from '../../options/service-options.ts';
import type { MaintainedObject } from './maintained-object.ts';

export const servicePort = 443;
export const portName = 'https';

/** @param port on which the server listens */
export function apiService(naming: NamingProfile, config: ServiceConfig, port: number): MaintainedObject {
  const { addresses } = parseServiceRanges(config.clusterIpRanges, config.nodePortRange);
  const { serviceName: name } = naming;
  const labels = { component: 'apiserver', provider: name };
  return {
    ...{ group: '', plural: 'services', namespace: 'default', name },
    next: (current) =>
      current
        ? undefined
        : {
            metadata: { name, namespace: 'default', labels },
            spec: {
              type: 'ClusterIP',
              clusterIP: addresses[0]?.at(0) ?? '',
              ipFamilyPolicy: 'SingleStack',
              sessionAffinity: 'None',
              ports: [{ name: portName, protocol: 'TCP', port: servicePort, targetPort: port }],
            },
          },
  };
}
