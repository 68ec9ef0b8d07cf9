/** Rules of a service's spec. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, invalid } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { isSince } from '../../since.ts';
import type { ApiContext } from '../../types.ts';
import { validateLabels } from '../../validation/labels.ts';
import { dns1123Subdomain, qualifiedName } from '../../validation/name-rules.ts';
import { cidrFamily, ipFamily, reachableIp } from '../../validation/net.ts';
import { each, invalidEach, given, need, obeys, oneOf } from '../../validation/rules.ts';
import type { LoadBalancerIngress, ServiceSpec } from '../v1.types.ts';
import { validateAddresses } from './addresses.ts';
import { takesOutsideTraffic } from './type-dependent.ts';
import { validateServicePorts } from './service-ports.ts';

const maxAffinitySeconds = 86400;
const ipModes = ['Proxy', 'VIP'];

export function validateServiceSpec(spec: ServiceSpec, path: FieldPath, context: ApiContext): FieldError[] {
  return [
    ...validateServicePorts(spec, path.child('ports'), context),
    ...need(spec.type, path.child('type')),
    ...validateAddresses(spec, path),
    ...validateExternalName(spec, path.child('externalName')),
    ...validateLabels(spec.selector, path.child('selector')),
    ...validateAffinity(spec, path),
    ...each(spec.externalIPs, path.child('externalIPs'), reachableIp),
    ...validateBalancer(spec, path),
    ...validateTraffic(spec, path, context),
  ];
}

function validateExternalName(spec: ServiceSpec, path: FieldPath): FieldError[] {
  return spec.type === 'ExternalName'
    ? need(spec.externalName, path, (name, at) =>
        invalidEach(name, at, dns1123Subdomain(name.replace(/\.$/, ''))),
      )
    : [];
}

function validateAffinity(spec: ServiceSpec, path: FieldPath): FieldError[] {
  const at = path.child('sessionAffinityConfig');
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const isAffinityNone = spec.sessionAffinity === 'None' && spec.sessionAffinityConfig != null;
  return [
    ...need(spec.sessionAffinity, path.child('sessionAffinity')),
    ...(isAffinityNone ? [forbidden(at, 'must not be set when session affinity is None')] : []),
    ...given(seconds, at.child('clientIP').child('timeoutSeconds'), (value, p) =>
      value <= 0 || value > maxAffinitySeconds
        ? [invalid(p, value, `must be greater than 0 and less than ${String(maxAffinitySeconds)}`)]
        : [],
    ),
  ];
}

function validateBalancer(spec: ServiceSpec, path: FieldPath): FieldError[] {
  const isBalancer = spec.type === 'LoadBalancer';
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const rangesPath = path.child('loadBalancerSourceRanges');
  const only = "may only be used when `type` is 'LoadBalancer'";
  return [
    ...(!isBalancer && ranges.length > 0 ? [forbidden(rangesPath, only)] : []),
    ...each(ranges, rangesPath, (range, at) =>
      cidrFamily(range.trim()) === undefined
        ? [invalid(at, range, 'must be a valid CIDR block (e.g. 10.100.0.0/16 or fd02::/48)')]
        : [],
    ),
    ...(!isBalancer && spec.allocateLoadBalancerNodePorts != null
      ? [forbidden(path.child('allocateLoadBalancerNodePorts'), only)]
      : []),
    ...given(spec.loadBalancerClass, path.child('loadBalancerClass'), (name, at) =>
      isBalancer ? obeys(qualifiedName)(name, at) : [forbidden(at, only)],
    ),
  ];
}

/** Policies for traffic from outside concern services that are reached from there. */
function validateTraffic(spec: ServiceSpec, path: FieldPath, context: ApiContext): FieldError[] {
  const policy = spec.externalTrafficPolicy ?? '';
  const needsCheck = spec.type === 'LoadBalancer' && policy === 'Local';
  return [
    ...(policy !== '' && !takesOutsideTraffic(spec, context)
      ? [
          invalid(
            path.child('externalTrafficPolicy'),
            policy,
            isSince(context, 29)
              ? 'may only be set for externally-accessible services'
              : 'ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service',
          ),
        ]
      : []),
    ...(spec.healthCheckNodePort && !needsCheck
      ? [
          invalid(
            path.child('healthCheckNodePort'),
            spec.healthCheckNodePort,
            'HealthCheckNodePort can only be set on LoadBalancer service with ExternalTrafficPolicy=Local',
          ),
        ]
      : []),
  ];
}

/** Where a load balancer answers: an address, or a name that is none. */
export function validateIngress(ingress: LoadBalancerIngress, path: FieldPath): FieldError[] {
  return [
    ...given(ingress.ip || undefined, path.child('ip'), (ip, at) =>
      ipFamily(ip) === undefined ? [invalid(at, ip, 'must be a valid IP address')] : [],
    ),
    ...given(ingress.hostname || undefined, path.child('hostname'), (name, at) => [
      ...invalidEach(name, at, dns1123Subdomain(name)),
      ...(ipFamily(name) === undefined ? [] : [invalid(at, name, 'must be a DNS name, not an IP address')]),
    ]),
    ...given(ingress.ipMode, path.child('ipMode'), (mode, at) =>
      ingress.ip ? oneOf(ipModes)(mode, at) : [forbidden(at, 'may not be specified when `ip` is not set')],
    ),
  ];
}
