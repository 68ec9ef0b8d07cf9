/** Containers of a pod. */
import type { FieldError } from '../../../meta/field-error.ts';
import { duplicate, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { dns1123Label } from '../../validation/names.ts';
import { each, given, need, obeys } from '../../validation/rules.ts';
import type { Container, EphemeralContainer, PodSpec } from '../v1.types.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { validatePorts } from './ports.ts';
import { validateProbesAndLifecycle } from './probes.ts';
import { validateResources } from './resources.ts';
import { validateSecurityContext } from './security-context.ts';
import type { VolumesByName } from './volume-mounts.ts';
import { validateMountsAndDevices, volumesByName } from './volume-mounts.ts';

/** All containers of a pod; names are unique among all of them. */
export function validateContainers(spec: PodSpec, path: FieldPath): FieldError[] {
  const volumes = volumesByName(spec.volumes);
  const names = new Set<string>();
  const main = path.child('containers');
  return [
    ...((spec.containers ?? []).length === 0 ? [required(main)] : []),
    ...each(spec.containers, main, (container, at) => [
      ...validateContainer(container, volumes, at),
      ...uniqueName(container, names, at),
      ...validateProbesAndLifecycle(container, at),
    ]),
    ...each(spec.initContainers, path.child('initContainers'), (container, at) => [
      ...validateContainer(container, volumes, at),
      ...uniqueName(container, names, at),
      ...neverRuns(container, at),
    ]),
    ...each(spec.ephemeralContainers, path.child('ephemeralContainers'), (container, at) => [
      ...validateContainer(container, volumes, at),
      ...uniqueName(container, names, at),
      ...validateEphemeral(container, spec, at),
    ]),
  ];
}

function uniqueName(container: Container, names: Set<string>, path: FieldPath): FieldError[] {
  const { name } = container;
  if (!name) return [];
  if (names.has(name)) return [duplicate(path.child('name'), name)];
  names.add(name);
  return [];
}

function validateContainer(container: Container, volumes: VolumesByName, path: FieldPath): FieldError[] {
  const image = container.image ?? '';
  return [
    ...need(container.name, path.child('name'), obeys(dns1123Label)),
    ...need(image, path.child('image'), (value, at) =>
      value === value.trim() ? [] : [invalid(at, value, 'must not have leading or trailing whitespace')],
    ),
    ...need(container.terminationMessagePolicy, path.child('terminationMessagePolicy')),
    ...validatePorts(container.ports, path.child('ports')),
    ...validateEnv(container.env, path.child('env')),
    ...validateEnvFrom(container.envFrom, path.child('envFrom')),
    ...validateMountsAndDevices(container, volumes, path),
    ...need(container.imagePullPolicy, path.child('imagePullPolicy')),
    ...validateResources(container.resources, path.child('resources')),
    ...validateSecurityContext(container.securityContext, path.child('securityContext')),
  ];
}

/** An init container ends before anything could ask how it is. */
function neverRuns(container: Container, path: FieldPath): FieldError[] {
  return (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const).flatMap((field) =>
    given<unknown>(container[field], path.child(field), (_value, at) => [
      invalid(at, container[field], 'must not be set for init containers'),
    ]),
  );
}

/** What is added to a running pod to look into it has no ports, resources or probes. */
function validateEphemeral(container: EphemeralContainer, spec: PodSpec, path: FieldPath): FieldError[] {
  const target = container.targetContainerName;
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const refused = (['ports', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'] as const).filter(
    (field) => container[field] != null,
  );
  return [
    ...(target && !all.some((other) => other.name === target)
      ? [invalid(path.child('targetContainerName'), target, 'not found')]
      : []),
    ...refused.map((field) =>
      invalid(path.child(field), container[field], 'cannot be set for an Ephemeral Container'),
    ),
  ];
}
