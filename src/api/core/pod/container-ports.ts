/** Ports of containers. */
import type { FieldError } from '../../../meta/field-error.ts';
import { duplicate, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { ianaPortName } from '../../validation/name-rules.ts';
import { portNumber } from '../../validation/net.ts';
import type { Maybe } from '../../validation/rules.ts';
import { allOf, each, given, obeys, repeatedNames } from '../../validation/rules.ts';
import type { Container, ContainerPort, PodSpec } from '../v1.types.ts';

/** Ports of one container. */
export function validatePorts(ports: Maybe<readonly ContainerPort[]>, path: FieldPath): FieldError[] {
  if (ports === undefined || ports === null) return [];
  return allOf(each(ports, path, validatePort), repeatedNames(ports, path));
}

const isPortName = obeys(ianaPortName);

function validatePort(port: ContainerPort, path: FieldPath): FieldError[] {
  const number = port.containerPort ?? 0;
  return allOf(
    given(port.name || undefined, path.child('name'), isPortName),
    number === 0 ? [required(path.child('containerPort'))] : portNumber(number, path.child('containerPort')),
    given(port.hostPort || undefined, path.child('hostPort'), portNumber),
    port.protocol === '' ? [required(path.child('protocol'))] : [],
  );
}

/** A host's port serves one container; with the host's network, ports are the same inside and outside. */
export function validateHostPorts(spec: PodSpec, path: FieldPath): FieldError[] {
  const hasHostNetwork = spec.hostNetwork === true;
  if (!hasHostNetwork && !takesHostPorts(spec)) return [];
  const seen = new Set<string>();
  return each(spec.containers, path.child('containers'), (container: Container, at) =>
    each(container.ports, at.child('ports'), (port, portPath) =>
      allOf(
        clash(port, portPath, seen),
        hasHostNetwork && port.hostPort !== port.containerPort
          ? [
              invalid(
                portPath.child('containerPort'),
                port.containerPort,
                'must match `hostPort` when `hostNetwork` is true',
              ),
            ]
          : [],
      ),
    ),
  );
}

function takesHostPorts({ containers }: PodSpec): boolean {
  for (const { ports } of containers ?? []) {
    for (const { hostPort } of ports ?? []) if (hostPort) return true;
  }
  return false;
}

function clash(port: ContainerPort, path: FieldPath, seen: Set<string>): FieldError[] {
  if (!port.hostPort) return [];
  const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${String(port.hostPort)}`;
  if (seen.has(key)) return [duplicate(path.child('hostPort'), key)];
  seen.add(key);
  return [];
}
