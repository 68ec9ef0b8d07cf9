/** Environment of containers: values and where they come from. */
import type { FieldError } from '../../../meta/field-error.ts';
import { invalid, notSupported, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { qualifiedName, configMapKey, envVarName, relaxedEnvVarName } from '../../validation/name-rules.ts';
import { relativeDescendingPath } from '../../validation/paths.ts';
import { compareQuantities, isQuantity } from '../../validation/quantities.ts';
import type { Maybe, Rule } from '../../validation/rules.ts';
import type { PodRights } from './privileged.ts';
import { allOf, each, invalidEach, given, need, obeys } from '../../validation/rules.ts';
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../v1.types.ts';

/** Fields of a pod that the environment may show. */
const envFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.podIP',
  'status.podIPs',
];

/** Fields of a pod that a downward API file may show. */
export const volumeFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.labels',
  'metadata.annotations',
];

const containerResources = ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [
  `limits.${name}`,
  `requests.${name}`,
]);

const units: Readonly<Record<string, readonly string[]>> = {
  cpu: ['1m', '1'],
  memory: ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'],
};

/** A key in a file of a volume (KEP-3721). */
function validateFileKey(reference: FileKeySelector, path: FieldPath): FieldError[] {
  return allOf(
    need(reference.volumeName, path.child('volumeName')),
    need(reference.path, path.child('path'), relativeDescendingPath),
    need(reference.key, path.child('key'), obeys(envVarName)),
  );
}

export function validateEnv(env: Maybe<readonly EnvVar[]>, path: FieldPath, rights: PodRights): FieldError[] {
  const isName = nameRuleOf(rights);
  return each(env, path, (variable, at) => validateVariable(variable, at, isName));
}

/** Programs that take their settings from the environment use names that shells cannot (KEP-4369). */
const relaxedGate = 'RelaxedEnvironmentVariableValidation';
const isRelaxedName = obeys(relaxedEnvVarName);
const isEnvVarName = obeys(envVarName);
const isConfigMapKey = obeys(configMapKey);

function nameRuleOf({ isFeatureEnabled }: PodRights): typeof isEnvVarName {
  return isFeatureEnabled(relaxedGate) ? isRelaxedName : isEnvVarName;
}

function validateVariable(variable: EnvVar, path: FieldPath, isName: Rule<string>): FieldError[] {
  const { name, value, valueFrom } = variable;
  const errorsOfName = need(name, path.child('name'), isName);
  if (!valueFrom) return errorsOfName;
  return allOf(errorsOfName, validateSource(valueFrom, value ?? '', path.child('valueFrom')));
}

function validateSource(source: EnvVarSource, value: string, path: FieldPath): FieldError[] {
  const count = [
    source.fieldRef,
    source.resourceFieldRef,
    source.configMapKeyRef,
    source.secretKeyRef,
    source.fileKeyRef,
  ].filter((member) => member != null).length;
  return allOf(
    count === 0
      ? [
          invalid(
            path,
            '',
            'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
          ),
        ]
      : [],
    count > 0 && value !== '' ? [invalid(path, '', 'may not be specified when `value` is not empty')] : [],
    count > 1 ? [invalid(path, '', 'may not have more than one field specified at a time')] : [],
    given(source.fieldRef, path.child('fieldRef'), (ref, at) => validateFieldRef(ref, envFields, at)),
    given(source.resourceFieldRef, path.child('resourceFieldRef'), validateResourceFieldRef),
    given(source.configMapKeyRef, path.child('configMapKeyRef'), validateKeyRef),
    given(source.secretKeyRef, path.child('secretKeyRef'), validateKeyRef),
    given(source.fileKeyRef, path.child('fileKeyRef'), validateFileKey),
  );
}

function validateKeyRef(ref: ConfigMapKeySelector, path: FieldPath): FieldError[] {
  return allOf(need(ref.name, path.child('name')), need(ref.key, path.child('key'), isConfigMapKey));
}

/** A reference to a field of the pod itself; `allowed` are the fields without a key. */
export function validateFieldRef(
  ref: ObjectFieldSelector,
  allowed: readonly string[],
  path: FieldPath,
): FieldError[] {
  return allOf(
    need(ref.apiVersion, path.child('apiVersion'), (version, at) =>
      version === 'v1' ? [] : [invalid(at, version, 'only version v1 is supported')],
    ),
    need(ref.fieldPath, path.child('fieldPath'), (field, at) => fieldPathErrors(field, allowed, at)),
  );
}

function fieldPathErrors(field: string, allowed: readonly string[], path: FieldPath): FieldError[] {
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(field);
  if (keyed) {
    const key = keyed[2] ?? '';
    return invalidEach(field, path, qualifiedName(keyed[1] === 'annotations' ? key.toLowerCase() : key));
  }
  if (allowed.includes(field)) return [];
  const supported = [...allowed, "metadata.labels['KEY']", "metadata.annotations['KEY']"];
  return /^(metadata|spec|status)\./.test(field)
    ? [notSupported(path, field, supported)]
    : [invalid(path, field, 'error converting fieldPath: field label not supported')];
}

/** A reference to what a container requests or is limited to. */
export function validateResourceFieldRef(ref: ResourceFieldSelector, path: FieldPath): FieldError[] {
  return need(ref.resource, path.child('resource'), (resource, at) =>
    containerResources.includes(resource)
      ? divisorErrors(resource, ref.divisor, path.child('divisor'))
      : [notSupported(at, resource, containerResources)],
  );
}

function divisorErrors(resource: string, divisor: Maybe<string>, path: FieldPath): FieldError[] {
  if (divisor == null || (isQuantity(divisor) && compareQuantities(divisor, '0') === 0)) return [];
  const allowed = resource.endsWith('.cpu') ? units['cpu'] : units['memory'];
  const fits = isQuantity(divisor) && allowed?.some((unit) => compareQuantities(unit, divisor) === 0);
  return fits
    ? []
    : [
        invalid(
          path,
          resource,
          `only divisor's values ${(allowed ?? []).join(', ')} are supported with this resource`,
        ),
      ];
}

export function validateEnvFrom(
  sources: Maybe<readonly EnvFromSource[]>,
  path: FieldPath,
  rights: PodRights,
): FieldError[] {
  const isName = nameRuleOf(rights);
  return each(sources, path, (source, at) =>
    allOf(
      given(source.prefix || undefined, at.child('prefix'), isName),
      envFromCount(source, at),
      given(source.configMapRef, at.child('configMapRef'), (ref, p) => need(ref.name, p.child('name'))),
      given(source.secretRef, at.child('secretRef'), (ref, p) => need(ref.name, p.child('name'))),
    ),
  );
}

function envFromCount(source: EnvFromSource, path: FieldPath): FieldError[] {
  const count = [source.configMapRef, source.secretRef].filter((member) => member != null).length;
  if (count === 1) return [];
  return count === 0
    ? [invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')]
    : [invalid(path, '', 'may not have more than one field specified at a time')];
}

/** What a downward API file may refer to. */
export function validateVolumeFieldRef(ref: ObjectFieldSelector, path: FieldPath): FieldError[] {
  return validateFieldRef(ref, volumeFields, path);
}

/** Files name the container whose resources they show. */
export function validateVolumeResourceFieldRef(ref: ResourceFieldSelector, path: FieldPath): FieldError[] {
  return allOf(
    ref.containerName ? [] : [required(path.child('containerName'))],
    validateResourceFieldRef(ref, path),
  );
}
