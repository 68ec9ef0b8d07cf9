/** The checks of the Pod Security Standards (Kubernetes documentation, "Pod Security Standards"). */
import type { Container, PodSpec } from '../../api/core/v1.types.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { Level } from './levels.ts';
import {
  containersOf,
  namesOf,
  quotedList,
  sorted,
  violatingContainers,
  type Violation,
} from './violations.ts';

/** The parts of a pod that are checked. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  readonly naming: NamingProfile;
}

export interface Check {
  /** The level that has it, as have the stricter ones. */
  readonly level: Exclude<Level, 'privileged'>;
  /** The first release that has it. */
  readonly since: number;
  /** The first release that no longer has it. */
  readonly until?: number;
  /** undefined: the pod passes. */
  readonly find: (pod: CheckedPod) => Violation | undefined;
}

const baseline = { level: 'baseline', since: 0 } as const;

const safeCapabilities: ReadonlySet<string> = new Set([
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]);

const safeSysctls: ReadonlySet<string> = new Set([
  ...['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.tcp_syncookies'],
  ...['net.ipv4.ping_group_range', 'net.ipv4.ip_unprivileged_port_start'],
]);

const seLinuxTypes: ReadonlySet<string> = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t']);

/** In the order in which violations are reported. */
export const baselineChecks: readonly Check[] = [
  { ...baseline, find: appArmor },
  { ...baseline, find: addedCapabilities },
  { ...baseline, find: hostNamespaces },
  { ...baseline, find: hostPathVolumes },
  { ...baseline, find: hostPorts },
  { ...baseline, find: privileged },
  { ...baseline, find: procMount },
  { ...baseline, find: seLinux },
  { ...baseline, until: 19, find: seccompAnnotations },
  { ...baseline, since: 19, find: seccompProfiles },
  { ...baseline, find: sysctls },
];

function appArmor({ annotations, naming }: CheckedPod): Violation | undefined {
  const prefix = `container.apparmor.security.beta.${naming.labelDomain}/`;
  const isAllowed = (profile: string): boolean =>
    profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');
  const found = Object.entries(annotations)
    .filter(([key, profile]) => key.startsWith(prefix) && !isAllowed(profile))
    .map(([key, profile]) => `${key}=${JSON.stringify(profile)}`);
  const reason = found.length === 1 ? 'forbidden AppArmor profile' : 'forbidden AppArmor profiles';
  return found.length > 0 ? { reason, detail: found.sort().join(', ') } : undefined;
}

function addedCapabilities({ spec }: CheckedPod): Violation | undefined {
  const found = violatingContainers(spec, ({ securityContext }) =>
    (securityContext?.capabilities?.add ?? []).filter((one) => !safeCapabilities.has(one)),
  );
  return (
    found && {
      reason: 'non-default capabilities',
      detail: `${found.containers} must not include ${quotedList(found.values)} in securityContext.capabilities.add`,
    }
  );
}

function hostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
  const detail = used.map((field) => `${field}=true`).join(', ');
  return used.length > 0 ? { reason: 'host namespaces', detail } : undefined;
}

function hostPathVolumes({ spec }: CheckedPod): Violation | undefined {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath != null).map(({ name = '' }) => name);
  return names.length > 0 ? { reason: 'hostPath volumes', detail: namesOf('volume', names) } : undefined;
}

function hostPorts({ spec }: CheckedPod): Violation | undefined {
  const found = violatingContainers(spec, ({ ports }) =>
    (ports ?? []).flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)])),
  );
  if (!found) return undefined;
  const verb = found.count === 1 ? 'uses' : 'use';
  const noun = found.values.length === 1 ? 'hostPort' : 'hostPorts';
  return { reason: 'hostPort', detail: `${found.containers} ${verb} ${noun} ${found.values.join(', ')}` };
}

function privileged({ spec }: CheckedPod): Violation | undefined {
  const found = violatingContainers(spec, ({ securityContext }) =>
    securityContext?.privileged === true ? ['true'] : [],
  );
  const detail = `${found?.containers ?? ''} must not set securityContext.privileged=true`;
  return found && { reason: 'privileged', detail };
}

function procMount({ spec }: CheckedPod): Violation | undefined {
  const found = violatingContainers(spec, ({ securityContext }) => {
    const mount = securityContext?.procMount;
    return mount == null || mount === 'Default' ? [] : [mount];
  });
  return (
    found && {
      reason: 'procMount',
      detail: `${found.containers} must not set securityContext.procMount to ${quotedList(found.values)}`,
    }
  );
}

type SELinux = NonNullable<Container['securityContext']>['seLinuxOptions'];

function seLinux({ spec }: CheckedPod): Violation | undefined {
  const types: string[] = [];
  const fields = new Set<string>();
  const violates = (options: SELinux): boolean => {
    const { type = '', user = '', role = '' } = options ?? {};
    if (!seLinuxTypes.has(type)) types.push(type);
    if (user !== '') fields.add('user may not be set');
    if (role !== '') fields.add('role may not be set');
    return !seLinuxTypes.has(type) || user !== '' || role !== '';
  };
  const ofPod = violates(spec.securityContext?.seLinuxOptions) ? ['pod'] : [];
  const found = violatingContainers(spec, ({ securityContext }) =>
    violates(securityContext?.seLinuxOptions) ? ['it'] : [],
  );
  const setters = [...ofPod, ...(found ? [found.containers] : [])];
  if (setters.length === 0) return undefined;
  const wrong = sorted(types);
  const noun = wrong.length === 1 ? 'type' : 'types';
  const problems = [
    ...(wrong.length > 0 ? [`${noun} ${quotedList(wrong)}`] : []),
    ...[...fields].sort().reverse(),
  ];
  const detail = `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${problems.join('; ')}`;
  return { reason: 'seLinuxOptions', detail };
}

/** Releases before 1.19 had annotations only. */
function seccompAnnotations({ annotations, spec, naming }: CheckedPod): Violation | undefined {
  const prefix = `seccomp.security.alpha.${naming.labelDomain}`;
  const keys = [`${prefix}/pod`, ...containersOf(spec).map(({ name = '' }) => `container.${prefix}/${name}`)];
  const isAllowed = (profile: string): boolean =>
    profile === 'runtime/default' || profile === 'docker/default' || profile.startsWith('localhost/');
  const found = keys.flatMap((key) => {
    const profile = annotations[key];
    return profile === undefined || isAllowed(profile) ? [] : [`${key}=${JSON.stringify(profile)}`];
  });
  const noun = found.length === 1 ? 'annotation' : 'annotations';
  const detail = `forbidden ${noun} ${sorted(found).join(', ')}`;
  return found.length > 0 ? { reason: 'seccompProfile', detail } : undefined;
}

/** Types of profiles that leave system calls limited. */
export const safeSeccompTypes: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost']);

export function seccompProfiles({ spec }: CheckedPod): Violation | undefined {
  const unsafe = (context: Container['securityContext'] | PodSpec['securityContext']): string[] => {
    const profile = context?.seccompProfile;
    return profile && !safeSeccompTypes.has(profile.type ?? '') ? [profile.type ?? ''] : [];
  };
  const ofPod = unsafe(spec.securityContext);
  const found = violatingContainers(spec, ({ securityContext }) => unsafe(securityContext));
  const setters = [...(ofPod.length > 0 ? ['pod'] : []), ...(found ? [found.containers] : [])];
  if (setters.length === 0) return undefined;
  const types = quotedList(sorted([...ofPod, ...(found?.values ?? [])]));
  const detail = `${setters.join(' and ')} must not set securityContext.seccompProfile.type to ${types}`;
  return { reason: 'seccompProfile', detail };
}

function sysctls({ spec }: CheckedPod): Violation | undefined {
  const names = (spec.securityContext?.sysctls ?? []).map(({ name = '' }) => name);
  const found = names.filter((name) => !safeSysctls.has(name));
  return found.length > 0 ? { reason: 'forbidden sysctls', detail: found.join(', ') } : undefined;
}
