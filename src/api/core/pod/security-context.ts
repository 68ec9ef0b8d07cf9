/** Security contexts of pods and containers. */
import type { FieldError } from '../../../meta/field-error.ts';
import { duplicate, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { relativeDescendingPath } from '../../validation/paths.ts';
import type { Maybe, Rule } from '../../validation/rules.ts';
import { allOf, between, each, given, need } from '../../validation/rules.ts';
import type {
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
  WindowsSecurityContextOptions,
} from '../v1.types.ts';

const userOrGroup = between(0, 2 ** 31 - 1);
const sysctlSegment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlName = new RegExp(`^(${sysctlSegment}\\.)*${sysctlSegment}$`);
const sysctlMaxLength = 253;

export function validatePodSecurityContext(spec: PodSpec, path: FieldPath): FieldError[] {
  return given(spec.securityContext, path, (context: PodSecurityContext, at) =>
    allOf(
      validateIds(context, at),
      given(context.fsGroup, at.child('fsGroup'), userOrGroup),
      each(context.supplementalGroups, at.child('supplementalGroups'), userOrGroup),
      validateSysctls(context.sysctls, at.child('sysctls')),
      given(context.seccompProfile, at.child('seccompProfile'), validateSeccomp),
      given(context.windowsOptions, at.child('windowsOptions'), validateWindows),
    ),
  );
}

/** Processes of all containers seen by each other, or those of the host: not both. */
export function validateProcessSharing(spec: PodSpec, path: FieldPath): FieldError[] {
  return spec.shareProcessNamespace === true && spec.hostPID === true
    ? [
        invalid(
          path.child('shareProcessNamespace'),
          true,
          'ShareProcessNamespace and HostPID cannot both be enabled',
        ),
      ]
    : [];
}

export function validateSecurityContext(context: Maybe<SecurityContext>, path: FieldPath): FieldError[] {
  return given(context, path, (value, at) =>
    allOf(
      validateIds(value, at),
      given(value.seccompProfile, at.child('seccompProfile'), validateSeccomp),
      escalation(value, at),
      given(value.windowsOptions, at.child('windowsOptions'), validateWindows),
    ),
  );
}

function validateIds(context: SecurityContext | PodSecurityContext, path: FieldPath): FieldError[] {
  return allOf(
    given(context.runAsUser, path.child('runAsUser'), userOrGroup),
    given(context.runAsGroup, path.child('runAsGroup'), userOrGroup),
  );
}

/** A privileged container can always escalate. */
function escalation(context: SecurityContext, path: FieldPath): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const hasSysAdmin = context.capabilities?.add?.includes('CAP_SYS_ADMIN') === true;
  return allOf(
    context.privileged === true
      ? [invalid(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true')]
      : [],
    hasSysAdmin
      ? [
          invalid(
            path,
            context,
            'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
          ),
        ]
      : [],
  );
}

function validateSysctls(sysctls: Maybe<readonly Sysctl[]>, path: FieldPath): FieldError[] {
  if (sysctls === undefined || sysctls === null) return [];
  const seen = new Set<string>();
  return each(sysctls, path, (sysctl, at) =>
    need(sysctl.name, at.child('name'), (name, p) => {
      if (name.length > sysctlMaxLength || !sysctlName.test(name)) {
        return [
          invalid(
            p,
            name,
            `must have at most ${String(sysctlMaxLength)} characters and match regex ${sysctlName.source}`,
          ),
        ];
      }
      if (seen.has(name)) return [duplicate(p, name)];
      seen.add(name);
      return [];
    }),
  );
}

const validateSeccomp: Rule<SeccompProfile> = (profile, path) => {
  const at = path.child('localhostProfile');
  const file = profile.localhostProfile;
  if (!profile.type) return [required(path.child('type'), 'type is required when seccompProfile is set')];
  if (profile.type === 'Localhost') {
    return need(file, at, relativeDescendingPath);
  }
  return file == null ? [] : [invalid(at, file, 'can only be set when seccomp type is Localhost')];
};

const validateWindows: Rule<WindowsSecurityContextOptions> = (options, path) =>
  allOf(
    given(options.gmsaCredentialSpec, path.child('gmsaCredentialSpec'), (spec, at) => {
      if (spec === '') return [invalid(at, spec, 'gmsaCredentialSpec cannot be an empty string')];
      return Buffer.byteLength(spec) > 64 * 1024
        ? [invalid(at, spec, 'gmsaCredentialSpec size must be under 64 KiB')]
        : [];
    }),
    given(options.runAsUserName, path.child('runAsUserName'), (name, at) => {
      if (name === '') return [invalid(at, name, 'runAsUserName cannot be an empty string')];

      if (/[\x00-\x1f\x7f]/.test(name))
        return [invalid(at, name, 'runAsUserName cannot contain control characters')];
      return name.split('\\').length > 2
        ? [invalid(at, name, 'runAsUserName cannot contain more than one backslash')]
        : [];
    }),
  );
