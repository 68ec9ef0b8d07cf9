/** Ports of a service. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { dns1123Label, qualifiedName } from '../../validation/name-rules.ts';
import { portNumber, portNumberOrName } from '../../validation/net.ts';
import { each, given, need, obeys, repeated, repeatedNames } from '../../validation/rules.ts';
import type { ApiContext } from '../../types.ts';
import type { ServicePort, ServiceSpec } from '../v1.types.ts';

/** Port of the node agent: a load balancer must not offer it to the world. */
const nodeAgentPort = 10250;

export function validateServicePorts(spec: ServiceSpec, path: FieldPath, context: ApiContext): FieldError[] {
  const ports = spec.ports ?? [];
  const needsPorts = spec.clusterIP !== 'None' && spec.type !== 'ExternalName';
  return [
    ...(ports.length === 0 && needsPorts ? [required(path)] : []),
    ...(isMixed(spec) && !context.isFeatureEnabled('MixedProtocolLBService')
      ? [invalid(path, ports, 'cannot create an external load balancer with mix protocols')]
      : []),
    ...each(ports, path, (port, at) => [
      ...validatePort(port, ports.length > 1, at),
      ...typeErrors(port, spec, at),
    ]),
    ...repeatedNames(ports, path),
    ...repeated(ports, path, (port) => ({ value: `${port.protocol ?? ''}/${String(port.port ?? 0)}` })),
    ...repeated(ports, path, (port) => ({
      value: port.nodePort ? `${port.protocol ?? ''}/${String(port.nodePort)}` : undefined,
      at: 'nodePort',
    })),
  ];
}

/** A load balancer with ports of more than one protocol (KEP-1435). */
function isMixed({ type, ports = [] }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && new Set(ports.map(({ protocol }) => protocol)).size > 1;
}

function validatePort(port: ServicePort, needsName: boolean, path: FieldPath): FieldError[] {
  return [
    ...(needsName ? need(port.name, path.child('name')) : []),
    ...given(port.name || undefined, path.child('name'), obeys(dns1123Label)),
    ...portNumber(port.port ?? 0, path.child('port')),
    ...need(port.protocol, path.child('protocol')),
    ...portNumberOrName(port.targetPort ?? 0, path.child('targetPort')),
    ...given(port.nodePort || undefined, path.child('nodePort'), portNumber),
    ...given(port.appProtocol, path.child('appProtocol'), obeys(qualifiedName)),
  ];
}

function typeErrors(port: ServicePort, { type }: ServiceSpec, path: FieldPath): FieldError[] {
  if (type === 'LoadBalancer' && port.port === nodeAgentPort) {
    return [invalid(path, port.port, 'may not expose port 10250 externally since it is used by kubelet')];
  }
  return port.nodePort && (type === 'ClusterIP' || type === 'ExternalName')
    ? [forbidden(path.child('nodePort'), `may not be used when \`type\` is '${type}'`)]
    : [];
}
