/** Containers of a pod. */
import type { FieldError } from '../../../meta/field-error.ts';
import { duplicate, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { dns1123Label } from '../../validation/name-rules.ts';
import type { Maybe, Rule } from '../../validation/rules.ts';
import { allOf, each, given, givenFields, need, obeys, oneOf, repeated } from '../../validation/rules.ts';
import type { Container, ContainerRestartRuleOnExitCodes, EphemeralContainer, PodSpec } from '../v1.types.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { validatePorts } from './container-ports.ts';
import { validateProbesAndLifecycle } from './probes.ts';
import type { PodRights } from './privileged.ts';
import { validateResources } from './resources.ts';
import { validateSecurityContext } from './security-context.ts';
import type { VolumesByName } from './volume-mounts.ts';
import { validateMountsAndDevices, volumesByName } from './volume-mounts.ts';

/** All containers of a pod; names are unique among all of them. */
export function validateContainers(spec: PodSpec, path: FieldPath, rights: PodRights): FieldError[] {
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
        validateContainer(container, volumes, at, rights),
        uniqueName(container, names, at),
        validateProbesAndLifecycle(container, at, rights),
      ),
    ),
    each(spec.initContainers, path.child('initContainers'), (container, at) =>
      allOf(
        validateContainer(container, volumes, at, rights),
        uniqueName(container, names, at),
        isSidecar(container) ? validateProbesAndLifecycle(container, at, rights) : neverRuns(container, at),
      ),
    ),
    each(spec.ephemeralContainers, path.child('ephemeralContainers'), (container, at) =>
      allOf(
        validateContainer(container, volumes, at, rights),
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

function validateContainer(
  container: Container,
  volumes: VolumesByName,
  path: FieldPath,
  rights: PodRights,
): FieldError[] {
  return allOf(
    need(container.name, path.child('name'), isLabel),
    need(container.image, path.child('image'), isTrimmed),
    need(container.terminationMessagePolicy, path.child('terminationMessagePolicy')),
    validatePorts(container.ports, path.child('ports')),
    validateEnv(container.env, path.child('env'), rights),
    validateEnvFrom(container.envFrom, path.child('envFrom'), rights),
    validateMountsAndDevices(container, volumes, path),
    need(container.imagePullPolicy, path.child('imagePullPolicy')),
    validateResources(container.resources, path.child('resources')),
    validateSecurityContext(container.securityContext, path.child('securityContext')),
    validateRestart(container, path),
  );
}

const resizable = ['cpu', 'memory'];
const maxRestartRules = 20;

/** What a change of resources does, and when the container is started again. */
function validateRestart(container: Container, path: FieldPath): FieldError[] {
  const { resizePolicy, restartPolicy, restartPolicyRules } = container;
  const rules = path.child('restartPolicyRules');
  return allOf(
    each(resizePolicy, path.child('resizePolicy'), (policy, at) =>
      allOf(
        need(policy.resourceName, at.child('resourceName'), oneOf(resizable)),
        need(policy.restartPolicy, at.child('restartPolicy'), oneOf(['NotRequired', 'RestartContainer'])),
      ),
    ),
    repeated(resizePolicy, path.child('resizePolicy'), ({ resourceName }) => ({ value: resourceName })),
    given(restartPolicy, path.child('restartPolicy'), oneOf(['Always', 'Never', 'OnFailure'])),
    (restartPolicyRules ?? []).length > maxRestartRules
      ? [invalid(rules, restartPolicyRules?.length, `must have at most ${String(maxRestartRules)} items`)]
      : [],
    (restartPolicyRules ?? []).length > 0 && restartPolicy == null
      ? [required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')]
      : [],
    each(restartPolicyRules, rules, (rule, at) =>
      allOf(
        need(rule.action, at.child('action')),
        need(rule.exitCodes, at.child('exitCodes'), validateExitCodes),
      ),
    ),
  );
}

function validateExitCodes(
  { operator, values }: ContainerRestartRuleOnExitCodes,
  path: FieldPath,
): FieldError[] {
  return allOf(
    need(operator, path.child('operator'), oneOf(['In', 'NotIn'])),
    (values ?? []).length === 0 ? [required(path.child('values'))] : [],
  );
}

/** An init container that runs beside the others from its start on (KEP-753). */
function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
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
