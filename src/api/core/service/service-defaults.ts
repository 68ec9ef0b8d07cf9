/** Defaults of a service that depend on its other fields. */
import type { ApiObject } from '../../../meta/object.ts';
import type { Stored } from '../../define.ts';
import type { ApiContext } from '../../types.ts';
import type { Service, ServiceSpec } from '../v1.types.ts';
import { isReachedFromOutside, takesOutsideTraffic } from './type-dependent.ts';

const affinitySeconds = 10800;

export function applyServiceDefaults(object: ApiObject, context: ApiContext): void {
  const { spec, status } = object as Stored<Service>;
  if (!spec) return;
  for (const port of spec.ports ?? []) {
    if (!port.targetPort && port.port !== undefined) port.targetPort = port.port;
  }
  applyAffinity(spec);
  applyPolicies(spec, context);
  if (context.isFeatureEnabled('IPv6DualStack')) applyFamilies(spec);
  if (spec.type === 'LoadBalancer' && context.isFeatureEnabled('LoadBalancerIPMode'))
    for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
}

function applyAffinity(spec: ServiceSpec): void {
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  const timeoutSeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? affinitySeconds;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds } };
}

function applyPolicies(spec: ServiceSpec, context: ApiContext): void {
  const isInside = spec.type === 'ClusterIP' || isReachedFromOutside(spec);
  if (takesOutsideTraffic(spec, context)) spec.externalTrafficPolicy ||= 'Cluster';
  if (context.isFeatureEnabled('ServiceInternalTrafficPolicy') && isInside)
    spec.internalTrafficPolicy ??= 'Cluster';
  if (context.isFeatureEnabled('ServiceLBNodePortControl') && spec.type === 'LoadBalancer') {
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
