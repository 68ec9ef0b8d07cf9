/** PodSecurityPolicy: which host access and privileges pods may use. */
import { quoted } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { portNumber } from '../validation/net.ts';
import { noBacksteps } from '../validation/paths.ts';
import type { Maybe } from '../validation/rules.ts';
import { each, given, need, obeys, toNumber } from '../validation/rules.ts';
import type { IDRange, PodSecurityPolicy as PolicyFields, PodSecurityPolicySpec } from './v1beta1.types.ts';

type PodSecurityPolicy = Stored<PolicyFields>;

const path = FieldPath.of('spec');
const all = '*';
const sysctlPattern =
  /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?\.)*(?:\*|[a-z0-9](?:[-_a-z0-9]*(?:[a-z0-9]|\*))?)$/;

function validate({ spec = {} }: PodSecurityPolicy): FieldError[] {
  return [
    ...identityErrors(spec),
    ...escalationErrors(spec),
    ...capabilityErrors(spec),
    ...volumeErrors(spec),
    ...each(spec.hostPorts, path.child('hostPorts'), ({ min = 0, max = 0 }, at) => [
      ...(min === 0 && max === 0 ? [] : [...portNumber(max, at.child('max')), ...orderErrors(min, max, at)]),
    ]),
    ...sysctlErrors(spec),
    ...runtimeErrors(spec),
  ];
}

interface IdRule {
  readonly rule?: Maybe<string>;
  readonly ranges?: Maybe<readonly IDRange[]>;
}

function identityErrors(spec: PodSecurityPolicySpec): FieldError[] {
  const rules: readonly (readonly [string, Maybe<IdRule>])[] = [
    ['runAsUser', spec.runAsUser ?? {}],
    ['runAsGroup', spec.runAsGroup],
    ['supplementalGroups', spec.supplementalGroups ?? {}],
    ['fsGroup', spec.fsGroup ?? {}],
  ];
  return [
    ...need(spec.seLinux?.rule, path.child('seLinux').child('rule')),
    ...rules.flatMap(([field, value]) =>
      given(value, path.child(field), (rule, at) => [
        ...need(rule.rule, at.child('rule')),
        ...each(rule.ranges, at.child('ranges'), validateRange),
      ]),
    ),
  ];
}

function validateRange({ min = 0, max = 0 }: IDRange, at: FieldPath): FieldError[] {
  const negative = (value: number, field: string): FieldError[] =>
    toNumber(value) < 0 ? [invalid(at.child(field), value, 'cannot be negative')] : [];
  return [...negative(min, 'min'), ...negative(max, 'max'), ...orderErrors(min, max, at)];
}

function orderErrors(min: number, max: number, at: FieldPath): FieldError[] {
  return toNumber(min) > toNumber(max)
    ? [invalid(at.child('min'), min, 'min cannot be greater than max')]
    : [];
}

function escalationErrors(spec: PodSecurityPolicySpec): FieldError[] {
  const at = path.child('allowPrivilegeEscalation');
  if (spec.allowPrivilegeEscalation == null) return [required(at)];
  return spec.defaultAllowPrivilegeEscalation === true && !spec.allowPrivilegeEscalation
    ? [
        invalid(
          path.child('defaultAllowPrivilegeEscalation'),
          true,
          'cannot be true when allowPrivilegeEscalation is false',
        ),
      ]
    : [];
}

/** What must be dropped is neither added nor allowed. */
function capabilityErrors(spec: PodSecurityPolicySpec): FieldError[] {
  const dropped = spec.requiredDropCapabilities ?? [];
  const at = path.child('requiredDropCapabilities');
  if (dropped.includes(all))
    return dropped.length === 1 ? [] : [invalid(at, dropped, 'must be alone when it is *')];
  const isDropped = new Set(dropped);
  return (['defaultAddCapabilities', 'allowedCapabilities'] as const).flatMap((field) =>
    errorsOf(spec[field] ?? [], (capability) =>
      isDropped.has(capability)
        ? [invalid(path.child(field), capability, 'capability is listed in requiredDropCapabilities too')]
        : [],
    ),
  );
}

function volumeErrors(spec: PodSecurityPolicySpec): FieldError[] {
  return [
    ...each(spec.allowedHostPaths, path.child('allowedHostPaths'), ({ pathPrefix }, at) =>
      need(pathPrefix, at.child('pathPrefix'), noBacksteps),
    ),
    ...each(spec.allowedFlexVolumes, path.child('allowedFlexVolumes'), ({ driver }, at) =>
      need(driver, at.child('driver')),
    ),
    ...each(spec.allowedCSIDrivers, path.child('allowedCSIDrivers'), ({ name }, at) =>
      need(name, at.child('name'), obeys(dns1123Subdomain)),
    ),
  ];
}

/** Kernel settings are named, or all below a name with a star at the end; none is both allowed and forbidden. */
function sysctlErrors(spec: PodSecurityPolicySpec): FieldError[] {
  const fields = ['allowedUnsafeSysctls', 'forbiddenSysctls'] as const;
  const allowed = new Set(spec.allowedUnsafeSysctls ?? []);
  return [
    ...fields.flatMap((field) =>
      each(spec[field], path.child(field), (text, at) =>
        sysctlPattern.test(text)
          ? []
          : [invalid(at, text, 'must be the name of a sysctl, or its beginning and *')],
      ),
    ),
    ...each(spec.forbiddenSysctls, path.child('forbiddenSysctls'), (text, at) =>
      allowed.has(text) ? [invalid(at, text, 'is also in allowedUnsafeSysctls')] : [],
    ),
  ];
}

function runtimeErrors(spec: PodSecurityPolicySpec): FieldError[] {
  return given(spec.runtimeClass, path.child('runtimeClass'), (runtime, at) => {
    const names = runtime.allowedRuntimeClassNames ?? [];
    const chosen = runtime.defaultRuntimeClassName;
    const isAllowed = chosen == null || names.includes(all) || names.includes(chosen);
    return [
      ...each(names, at.child('allowedRuntimeClassNames'), (name, p) =>
        name === all ? [] : obeys(dns1123Subdomain)(name, p),
      ),
      ...(isAllowed
        ? []
        : [required(at.child('allowedRuntimeClassNames'), `default ${quoted(chosen)} must be allowed`)]),
    ];
  });
}

export const podSecurityPolicies = defineResource<PodSecurityPolicy>({
  kind: 'PodSecurityPolicy',
  plural: 'podsecuritypolicies',
  shortNames: ['psp'],
  namespaced: false,
  versions: [{ version: 'v1beta1', deprecatedIn: '1.21', removedIn: '1.25' }],
  validateName: nameIsDns1123Subdomain,
  strategy: { validate, deleteReturns: 'object' },
  columns: [
    nameColumn,
    column<PodSecurityPolicy>('Priv', ({ spec }) => String(spec?.privileged ?? false), {
      description: 'Whether containers may be privileged.',
    }),
    column<PodSecurityPolicy>('Caps', ({ spec }) => (spec?.allowedCapabilities ?? []).join(','), {
      description: 'Capabilities that may be added.',
    }),
    column<PodSecurityPolicy>('SELinux', ({ spec }) => spec?.seLinux?.rule, {
      description: 'Rule for SELinux labels.',
    }),
    column<PodSecurityPolicy>('RunAsUser', ({ spec }) => spec?.runAsUser?.rule, {
      description: 'Rule for users.',
    }),
    column<PodSecurityPolicy>('FsGroup', ({ spec }) => spec?.fsGroup?.rule, {
      description: 'Rule for groups of volumes.',
    }),
    column<PodSecurityPolicy>('SupGroup', ({ spec }) => spec?.supplementalGroups?.rule, {
      description: 'Rule for further groups.',
    }),
    column<PodSecurityPolicy>('ReadOnlyRootFs', ({ spec }) => spec?.readOnlyRootFilesystem ?? false, {
      description: 'Whether the root file system must be read-only.',
    }),
    column<PodSecurityPolicy>('Volumes', ({ spec }) => (spec?.volumes ?? []).join(','), {
      description: 'Kinds of volumes that are allowed.',
    }),
  ],
});
