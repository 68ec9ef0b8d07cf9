/** Containers of a pod. */
import type { FieldError } from '../../../meta/field-error.ts';
import { duplicate, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { dns1123Label } from '../../validation/name-rules.ts';
import type { Maybe, Rule } from '../../validation/rules.ts';
import { allOf, each, givenFields, need, obeys } from '../../validation/rules.ts';
import type { Container, EphemeralContainer, PodSpec } from '../v1.types.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { validatePorts } from './container-ports.ts';
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
  const running = new Set(
    [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name),
  );
  return allOf(
    (spec.containers ?? []).length === 0 ? [required(main)] : [],
    each(spec.containers, main, (container, at) =>
      allOf(
        validateContainer(container, volumes, at),
        uniqueName(container, names, at),
        validateProbesAndLifecycle(container, at),
      ),
    ),
    each(spec.initContainers, path.child('initContainers'), (container, at) =>
      allOf(
        validateContainer(container, volumes, at),
        uniqueName(container, names, at),
        neverRuns(container, at),
      ),
    ),
    each(spec.ephemeralContainers, path.child('ephemeralContainers'), (container, at) =>
      allOf(
        validateContainer(container, volumes, at),
        uniqueName(container, names, at),
        validateEphemeral(container, running, at),
      ),
    ),
  );
}

function uniqueName(container: Container, names: Set<string>, path: FieldPath): FieldError[] {
  const { name } = container;
  if (!name) return [];
  if (names.has(name)) return [duplicate(path.child('name'), name)];
  names.add(name);
  return [];
}

const isLabel = obeys(dns1123Label);

const isTrimmed: Rule<string> = (value, path) =>
  value === value.trim() ? [] : [invalid(path, value, 'must not have leading or trailing whitespace')];

function validateContainer(container: Container, volumes: VolumesByName, path: FieldPath): FieldError[] {
  return allOf(
    need(container.name, path.child('name'), isLabel),
    need(container.image, path.child('image'), isTrimmed),
    need(container.terminationMessagePolicy, path.child('terminationMessagePolicy')),
    validatePorts(container.ports, path.child('ports')),
    validateEnv(container.env, path.child('env')),
    validateEnvFrom(container.envFrom, path.child('envFrom')),
    validateMountsAndDevices(container, volumes, path),
    need(container.imagePullPolicy, path.child('imagePullPolicy')),
    validateResources(container.resources, path.child('resources')),
    validateSecurityContext(container.securityContext, path.child('securityContext')),
  );
}

const runningOnly = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** An init container ends before a probe could run. */
function neverRuns(container: Container, path: FieldPath): FieldError[] {
  return givenFields<unknown, (typeof runningOnly)[number]>(container, runningOnly, path, (value, at) => [
    invalid(at, value, 'must not be set for init containers'),
  ]);
}

/** What is added to a running pod to look into it has no ports, resources or probes. */
function validateEphemeral(
  container: EphemeralContainer,
  running: ReadonlySet<Maybe<string>>,
  path: FieldPath,
): FieldError[] {
  const target = container.targetContainerName;
  const refused = (['ports', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'] as const).filter(
    (field) => container[field] != null,
  );
  return allOf(
    target && !running.has(target) ? [invalid(path.child('targetContainerName'), target, 'not found')] : [],
    refused.map((field) =>
      invalid(path.child(field), container[field], 'cannot be set for an Ephemeral Container'),
    ),
  );
}
