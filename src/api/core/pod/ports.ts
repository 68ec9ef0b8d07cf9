/** Ports of containers. */
import type { FieldError } from '../../../meta/field-error.ts';
import { duplicate, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { ianaPortName } from '../../validation/names.ts';
import { portNumber } from '../../validation/net.ts';
import type { Maybe } from '../../validation/rules.ts';
import { each, given, obeys, repeatedNames } from '../../validation/rules.ts';
import type { Container, ContainerPort, PodSpec } from '../v1.types.ts';

/** Ports of one container. */
export function validatePorts(ports: Maybe<readonly ContainerPort[]>, path: FieldPath): FieldError[] {
  return [...each(ports, path, validatePort), ...repeatedNames(ports, path)];
}

function validatePort(port: ContainerPort, path: FieldPath): FieldError[] {
  const number = port.containerPort ?? 0;
  return [
    ...given(port.name || undefined, path.child('name'), obeys(ianaPortName)),
    ...(number === 0
      ? [required(path.child('containerPort'))]
      : portNumber(number, path.child('containerPort'))),
    ...given(port.hostPort || undefined, path.child('hostPort'), portNumber),
    ...given(port.protocol === '' ? '' : undefined, path.child('protocol'), (_value, at) => [required(at)]),
  ];
}

/** A host's port serves one container; with the host's network, ports are the same inside and outside. */
export function validateHostPorts(spec: PodSpec, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return each(spec.containers, path.child('containers'), (container: Container, at) =>
    each(container.ports, at.child('ports'), (port, portPath) => [
      ...clash(port, portPath, seen),
      ...(spec.hostNetwork === true && port.hostPort !== port.containerPort
        ? [
            invalid(
              portPath.child('containerPort'),
              port.containerPort,
              'must match `hostPort` when `hostNetwork` is true',
            ),
          ]
        : []),
    ]),
  );
}

function clash(port: ContainerPort, path: FieldPath, seen: Set<string>): FieldError[] {
  if (!port.hostPort) return [];
  const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${String(port.hostPort)}`;
  if (seen.has(key)) return [duplicate(path.child('hostPort'), key)];
  seen.add(key);
  return [];
}
