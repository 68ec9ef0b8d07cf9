/** Defaults of a service that depend on its other fields. */
import type { ApiObject } from '../../../meta/object.ts';
import type { Stored } from '../../define.ts';
import type { ApiContext } from '../../types.ts';
import type { Service, ServiceSpec } from '../v1.types.ts';

const affinitySeconds = 10800;
const outside = ['NodePort', 'LoadBalancer'];

export function applyServiceDefaults(object: ApiObject, context: ApiContext): void {
  const { spec } = object as Stored<Service>;
  if (!spec) return;
  for (const port of spec.ports ?? []) {
    if (!port.targetPort && port.port !== undefined) port.targetPort = port.port;
  }
  applyAffinity(spec);
  applyPolicies(spec, context);
  if (context.isFeatureEnabled('IPv6DualStack')) applyFamilies(spec);
}

function applyAffinity(spec: ServiceSpec): void {
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  const timeoutSeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? affinitySeconds;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds } };
}

function applyPolicies(spec: ServiceSpec, context: ApiContext): void {
  const type = spec.type ?? '';
  if (outside.includes(type)) spec.externalTrafficPolicy ||= 'Cluster';
  if (
    context.isFeatureEnabled('ServiceInternalTrafficPolicy') &&
    (type === 'ClusterIP' || outside.includes(type))
  ) {
    spec.internalTrafficPolicy ??= 'Cluster';
  }
  if (context.isFeatureEnabled('ServiceLBNodePortControl') && type === 'LoadBalancer') {
    spec.allocateLoadBalancerNodePorts ??= true;
  }
}

/** Two addresses or two families mean dual stack. */
function applyFamilies(spec: ServiceSpec): void {
  if (spec.type === 'ExternalName') return;
  if ((spec.clusterIPs ?? []).length === 2 || (spec.ipFamilies ?? []).length === 2) {
    spec.ipFamilyPolicy ??= 'RequireDualStack';
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack' && spec.ipFamilies?.length === 1) {
    spec.ipFamilies = spec.ipFamilies[0] === 'IPv4' ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4'];
  }
}
