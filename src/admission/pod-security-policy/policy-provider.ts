/** One PodSecurityPolicy applied to pods: what it sets where they say nothing, and what it forbids. */
import type { Container, PodSecurityContext, PodSpec, SecurityContext } from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import type {
  PodSecurityPolicy as PolicyFields,
  PodSecurityPolicySpec,
} from '../../api/policy/v1beta1.types.ts';
import { toNumber } from '../../api/validation/rules.ts';
import { errorsOf, forbidden, invalid, type FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { completedCapabilities, validateCapabilities } from './capabilities-strategy.ts';
import { groupStrategy, userStrategy, type GroupStrategy, type UserStrategy } from './id-strategies.ts';
import {
  appArmorStrategy,
  seccompStrategy,
  type Annotations,
  type ProfileStrategy,
} from './profile-strategies.ts';
import { seLinuxStrategy, type SELinuxStrategy } from './selinux-strategy.ts';
import { validateVolumes } from './volume-rules.ts';

export type PodSecurityPolicy = Stored<PolicyFields>;

/** The parts of a pod that a policy looks at. */
export interface PolicyPod {
  annotations: Annotations;
  readonly spec: PodSpec;
}

export interface PolicyProvider {
  readonly name: string;
  /** Sets what the pod leaves open. */
  complete(pod: PolicyPod): void;
  validate(pod: PolicyPod): FieldError[];
}

interface Strategies {
  readonly user: UserStrategy;
  readonly group: GroupStrategy;
  readonly fsGroup: GroupStrategy;
  readonly supplementalGroups: GroupStrategy;
  readonly seLinux: SELinuxStrategy;
  readonly appArmor: ProfileStrategy;
  readonly seccomp: ProfileStrategy;
}

interface Provision extends Strategies {
  readonly policy: PodSecurityPolicySpec;
  readonly naming: NamingProfile;
}

/** undefined for a policy whose rules cannot be used. */
export function createPolicyProvider(
  { metadata, spec: policy = {} }: PodSecurityPolicy,
  naming: NamingProfile,
): PolicyProvider | undefined {
  const user = userStrategy(policy.runAsUser ?? {});
  const group = groupStrategy(policy.runAsGroup ?? { rule: 'RunAsAny' });
  const fsGroup = groupStrategy(policy.fsGroup ?? {});
  const supplementalGroups = groupStrategy(policy.supplementalGroups ?? {});
  const seLinux = seLinuxStrategy(policy.seLinux ?? {});
  if (!user || !group || !fsGroup || !supplementalGroups || !seLinux) return undefined;
  const annotations = metadata.annotations ?? {};
  const provision: Provision = {
    ...{ policy, naming, user, group, fsGroup, supplementalGroups, seLinux },
    appArmor: appArmorStrategy(annotations, naming),
    seccomp: seccompStrategy(annotations, naming),
  };
  return {
    name: metadata.name ?? '',
    complete: (pod) => {
      completePod(provision, pod);
    },
    validate: (pod) => validatePod(provision, pod),
  };
}

function containersOf(spec: PodSpec): [Container, FieldPath][] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((field) =>
    (spec[field] ?? []).map((one, i): [Container, FieldPath] => [
      one,
      FieldPath.of('spec').child(field).index(i),
    ]),
  );
}

/** The context with what it lacks; undefined where it stays without anything. */
function completed<T extends object>(context: T | null | undefined, defaults: Partial<T>): T | undefined {
  const missing = Object.entries(defaults).filter(
    ([key, value]) => value !== undefined && context?.[key as keyof T] == null,
  );
  if (missing.length === 0) return context ?? undefined;
  return { ...context, ...Object.fromEntries(missing) } as T;
}

function completePod(provision: Provision, pod: PolicyPod): void {
  const { policy, supplementalGroups, fsGroup, seLinux, seccomp, appArmor } = provision;
  const { spec } = pod;
  const context = completed<PodSecurityContext>(spec.securityContext, {
    supplementalGroups: supplementalGroups.initial === undefined ? undefined : [supplementalGroups.initial],
    fsGroup: fsGroup.initial,
    seLinuxOptions: seLinux.initial,
  });
  if (context) spec.securityContext = context;
  const runtime = policy.runtimeClass?.defaultRuntimeClassName;
  if (runtime !== undefined) spec.runtimeClassName ??= runtime;
  const containers = containersOf(spec).map(([container]) => container);
  const missing = { ...seccomp.missing(pod, containers), ...appArmor.missing(pod, containers) };
  if (Object.keys(missing).length > 0) pod.annotations = { ...pod.annotations, ...missing };
  for (const container of containers) {
    const own = completedContext(provision, spec, container.securityContext);
    if (own) container.securityContext = own;
  }
}

function completedContext(
  provision: Provision,
  { securityContext: ofPod }: PodSpec,
  sent: SecurityContext | null | undefined,
): SecurityContext | undefined {
  const { policy, user } = provision;
  const identity = completed<SecurityContext>(sent, missingIdentity(provision, ofPod ?? {}));
  const hasUser = (identity?.runAsUser ?? ofPod?.runAsUser) != null;
  const wantsNonRoot = user.wantsNonRoot && !hasUser && ofPod?.runAsNonRoot == null;
  const context = completed<SecurityContext>(identity, {
    runAsNonRoot: wantsNonRoot ? true : undefined,
    readOnlyRootFilesystem: policy.readOnlyRootFilesystem === true ? true : undefined,
    allowPrivilegeEscalation: initialEscalation(policy),
  });
  const capabilities = completedCapabilities(policy, context?.capabilities);
  return capabilities && capabilities !== context?.capabilities ? { ...context, capabilities } : context;
}

function initialEscalation(policy: PodSecurityPolicySpec): boolean | undefined {
  const { defaultAllowPrivilegeEscalation: initial, allowPrivilegeEscalation: isAllowed } = policy;
  return initial ?? (isAllowed === false ? false : undefined);
}

/** A container has what the pod says for all. */
function missingIdentity(
  { user, group, seLinux }: Provision,
  ofPod: PodSecurityContext,
): Partial<SecurityContext> {
  return {
    runAsUser: ofPod.runAsUser == null ? user.initial : undefined,
    runAsGroup: ofPod.runAsGroup == null ? group.initial : undefined,
    seLinuxOptions: ofPod.seLinuxOptions == null ? seLinux.initial : undefined,
  };
}

const contextPath = FieldPath.of('spec').child('securityContext');

function validatePod(provision: Provision, pod: PolicyPod): FieldError[] {
  const { policy, fsGroup, supplementalGroups, seccomp, seLinux, naming } = provision;
  const { spec } = pod;
  const { securityContext: context } = spec;
  const containers = containersOf(spec);
  return [
    ...fsGroup.validate(
      contextPath.child('fsGroup'),
      context?.fsGroup == null ? [] : [toNumber(context.fsGroup)],
    ),
    ...supplementalGroups.validate(
      contextPath.child('supplementalGroups'),
      (context?.supplementalGroups ?? []).map(toNumber),
    ),
    ...seccomp.validatePod(pod),
    ...seLinux.validate(contextPath.child('seLinuxOptions'), context?.seLinuxOptions),
    ...validateHost(policy, spec),
    ...validateSysctls(policy, context?.sysctls ?? []),
    ...validateVolumes({ policy, naming }, spec, containers),
    ...validateRuntimeClass(policy, spec),
    ...errorsOf(containers, ([container, at]) => validateContainer(provision, pod, { container, at })),
  ];
}

function validateHost(policy: PodSecurityPolicySpec, spec: PodSpec): FieldError[] {
  const uses = [
    ['hostNetwork', 'Host network'],
    ['hostPID', 'Host PID'],
    ['hostIPC', 'Host IPC'],
  ] as const;
  return uses
    .filter(([field]) => spec[field] === true && policy[field] !== true)
    .map(([field, what]) => invalid(contextPath.child(field), true, `${what} is not allowed to be used`));
}

/** They change nothing outside of the pod. */
const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
];

function validateSysctls(
  policy: PodSecurityPolicySpec,
  sysctls: NonNullable<PodSecurityContext['sysctls']>,
): FieldError[] {
  const at = FieldPath.of('pod').child('spec').child('securityContext').child('sysctls');
  return errorsOf(sysctls, ({ name = '' }, i) => {
    const quoted = JSON.stringify(name);
    if (isListed(policy.forbiddenSysctls ?? [], name))
      return [forbidden(at.index(i), `sysctl ${quoted} is not allowed`)];
    if (safeSysctls.includes(name) || isListed(policy.allowedUnsafeSysctls ?? [], name)) return [];
    return [forbidden(at.index(i), `unsafe sysctl ${quoted} is not allowed`)];
  });
}

/** A star at the end of a pattern stands for everything that begins so. */
function isListed(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
  );
}

function validateRuntimeClass({ runtimeClass }: PodSecurityPolicySpec, spec: PodSpec): FieldError[] {
  const name = spec.runtimeClassName;
  const allowed = runtimeClass?.allowedRuntimeClassNames ?? [];
  if (!runtimeClass || name == null || allowed.includes('*') || allowed.includes(name)) return [];
  return [invalid(FieldPath.of('spec').child('runtimeClassName'), name, '')];
}

interface PlacedContainer {
  readonly container: Container;
  readonly at: FieldPath;
}

function validateContainer(
  provision: Provision,
  pod: PolicyPod,
  { container, at: place }: PlacedContainer,
): FieldError[] {
  const { policy, appArmor, seccomp } = provision;
  const context = container.securityContext ?? {};
  const at = place.child('securityContext');
  return [
    ...validateIdentity(provision, at, { context, ofPod: pod.spec.securityContext ?? {} }),
    ...appArmor.validateContainer(pod, container),
    ...seccomp.validateContainer(pod, container),
    ...validatePrivileges(policy, at, context),
    ...validateCapabilities(policy, at.child('capabilities'), context.capabilities),
    ...validateHostPorts(policy, place, container),
    ...validateRestrictions(policy, at, context),
  ];
}

interface Contexts {
  readonly context: SecurityContext;
  readonly ofPod: PodSecurityContext;
}

function validateIdentity(
  { user, group, seLinux }: Provision,
  at: FieldPath,
  { context, ofPod }: Contexts,
): FieldError[] {
  const runAsUser = context.runAsUser ?? ofPod.runAsUser;
  const runAsGroup = context.runAsGroup ?? ofPod.runAsGroup;
  const isNonRoot = context.runAsNonRoot ?? ofPod.runAsNonRoot ?? undefined;
  return [
    ...user.validate(at, isNonRoot, runAsUser == null ? undefined : toNumber(runAsUser)),
    ...group.validate(at, runAsGroup == null ? [] : [toNumber(runAsGroup)]),
    ...seLinux.validate(at.child('seLinuxOptions'), context.seLinuxOptions ?? ofPod.seLinuxOptions),
  ];
}

const defaultProcMount = 'Default';

function validatePrivileges(
  policy: PodSecurityPolicySpec,
  at: FieldPath,
  { privileged, procMount }: SecurityContext,
): FieldError[] {
  const mount = procMount ?? defaultProcMount;
  const allowed = policy.allowedProcMountTypes?.length ? policy.allowedProcMountTypes : [defaultProcMount];
  return [
    ...(privileged === true && policy.privileged !== true
      ? [invalid(at.child('privileged'), true, 'Privileged containers are not allowed')]
      : []),
    ...(allowed.includes(mount)
      ? []
      : [invalid(at.child('procMount'), mount, 'ProcMountType is not allowed')]),
  ];
}

function validateHostPorts(
  { hostPorts }: PodSecurityPolicySpec,
  at: FieldPath,
  { ports }: Container,
): FieldError[] {
  const ranges = hostPorts ?? [];
  const shown = ranges.map(({ min = 0, max = 0 }) =>
    min === max ? String(min) : `${String(min)}-${String(max)}`,
  );
  return errorsOf(ports ?? [], ({ hostPort = 0 }) => {
    const isAllowed =
      hostPort <= 0 || ranges.some(({ min = 0, max = 0 }) => hostPort >= min && hostPort <= max);
    const problem = `Host port ${String(hostPort)} is not allowed to be used. Allowed ports: [${shown.join(',')}]`;
    return isAllowed ? [] : [invalid(at.child('hostPort'), hostPort, problem)];
  });
}

function validateRestrictions(
  policy: PodSecurityPolicySpec,
  at: FieldPath,
  { readOnlyRootFilesystem: isReadOnly, allowPrivilegeEscalation: mayEscalate }: SecurityContext,
): FieldError[] {
  const readOnly = isReadOnly == null ? 'may not be nil and must be set to true' : 'must be set to true';
  return [
    ...(policy.readOnlyRootFilesystem === true && isReadOnly !== true
      ? [invalid(at.child('readOnlyRootFilesystem'), isReadOnly, `ReadOnlyRootFilesystem ${readOnly}`)]
      : []),
    ...(policy.allowPrivilegeEscalation === false && mayEscalate !== false
      ? [
          invalid(
            at.child('allowPrivilegeEscalation'),
            mayEscalate,
            'Allowing privilege escalation for containers is not allowed',
          ),
        ]
      : []),
  ];
}
