/**
 * The Service of the API in namespace `default`, by which pods reach it: at the first address of the first range
 * (release 1.21, `pkg/controlplane/controller.go`). An existing one is left alone, but for a node port that it lacks.
 */
import { parseServiceRanges } from '../../api/core/service/value-range.ts';
import type { Service } from '../../api/core/v1.types.ts';
import type { JsonObject } from '../../base/json.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
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
        ? withNodePort(current, config.apiNodePort)
        : {
            metadata: { name, namespace: 'default', labels },
            spec: {
              ...exposure(config.apiNodePort),
              clusterIP: addresses[0]?.at(0) ?? '',
              ipFamilyPolicy: 'SingleStack',
              sessionAffinity: 'None',
              ports: [
                {
                  ...{ name: portName, protocol: 'TCP', port: servicePort, targetPort: port },
                  ...(config.apiNodePort !== 0 && { nodePort: config.apiNodePort }),
                },
              ],
            },
          },
  };
}

function exposure(nodePort: number): JsonObject {
  return { type: nodePort === 0 ? 'ClusterIP' : 'NodePort' };
}

/** undefined if the service has the node port, or needs none. A load balancer that someone gave it stays. */
function withNodePort(current: ApiObject, nodePort: number): JsonObject | undefined {
  const { spec = {} } = current as Service;
  const [first, ...others] = spec.ports ?? [];
  if (nodePort === 0 || first === undefined || first.nodePort === nodePort) return undefined;
  const type = spec.type === 'LoadBalancer' ? {} : exposure(nodePort);
  const next = { ...current, spec: { ...spec, ...type, ports: [{ ...first, nodePort }, ...others] } };
  return asJson(next);
}
