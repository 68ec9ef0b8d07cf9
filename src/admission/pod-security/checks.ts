/** The checks of the Pod Security Standards (Kubernetes documentation, "Pod Security Standards"). */
import type { Container, PodSpec } from '../../api/core/v1.types.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { Level } from './levels.ts';
import {
  containersOf,
  namesOf,
  quotedList,
  settersOf,
  sorted,
  violatingContainers,
  type Violation,
} from './violations.ts';

/** The parts of a pod that are checked. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  readonly naming: NamingProfile;
  /** The minor release whose checks are the latest ones. */
  readonly newest: number;
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
const sysctlsOf27 = safeSysctls.union(new Set(['net.ipv4.ip_local_reserved_ports']));
const sysctlsOf29 = sysctlsOf27.union(
  new Set([
    ...['net.ipv4.tcp_keepalive_time', 'net.ipv4.tcp_fin_timeout'],
    ...['net.ipv4.tcp_keepalive_intvl', 'net.ipv4.tcp_keepalive_probes'],
  ]),
);
const sysctlsOf32 = sysctlsOf29.union(new Set(['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']));

const seLinuxTypes: ReadonlySet<string> = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t']);
const seLinuxTypesOf31 = seLinuxTypes.union(new Set(['container_engine_t']));

/** In the order in which violations are reported. */
export const baselineChecks: readonly Check[] = [
  { ...baseline, find: appArmor },
  { ...baseline, find: addedCapabilities },
  { ...baseline, find: hostNamespaces },
  { ...baseline, find: hostPathVolumes },
  { ...baseline, find: hostPorts },
  { ...baseline, since: 34, find: handlerHosts },
  { ...baseline, find: privileged },
  { ...baseline, until: 35, find: procMount },
  { ...baseline, since: 35, find: (pod) => (hasUserNamespace(pod) ? undefined : procMount(pod)) },
  { ...baseline, until: 31, find: seLinuxOf(seLinuxTypes) },
  { ...baseline, since: 31, find: seLinuxOf(seLinuxTypesOf31) },
  { ...baseline, until: 19, find: seccompAnnotations },
  { ...baseline, since: 19, find: seccompProfiles },
  { ...baseline, until: 27, find: sysctlsBeyond(safeSysctls) },
  { ...baseline, since: 27, until: 29, find: sysctlsBeyond(sysctlsOf27) },
  { ...baseline, since: 29, until: 32, find: sysctlsBeyond(sysctlsOf29) },
  { ...baseline, since: 32, find: sysctlsBeyond(sysctlsOf32) },
  { ...baseline, find: hostProcess },
];

/** Root of a user namespace has no privileges on the host (KEP-127): from release 1.35 on, less is forbidden there. */
export function hasUserNamespace({ spec }: CheckedPod): boolean {
  return spec.hostUsers === false;
}

/** In annotations, and in the fields that later releases have. */
function appArmor({ annotations, spec, naming }: CheckedPod): Violation | undefined {
  const prefix = `container.apparmor.security.beta.${naming.labelDomain}/`;
  const isAllowed = (profile: string): boolean =>
    profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');
  const found = Object.entries(annotations)
    .filter(([key, profile]) => key.startsWith(prefix) && !isAllowed(profile))
    .map(([key, profile]) => `${key}=${JSON.stringify(profile)}`)
    .sort();
  const fields = settersOf(spec, (context) => {
    const type = context?.appArmorProfile?.type ?? 'RuntimeDefault';
    return safeProfileTypes.has(type) ? [] : [type];
  });
  if (fields)
    found.push(`${fields.setters} must not set AppArmor profile type to ${quotedList(fields.values)}`);
  const count = found.length - (fields ? 1 : 0) + (fields?.values.length ?? 0);
  const reason = count === 1 ? 'forbidden AppArmor profile' : 'forbidden AppArmor profiles';
  return found.length > 0 ? { reason, detail: found.join(', ') } : undefined;
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

export function procMount({ spec }: CheckedPod): Violation | undefined {
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

function seLinuxOf(allowed: ReadonlySet<string>): Check['find'] {
  return ({ spec }) => seLinux(spec, allowed);
}

function seLinux(spec: PodSpec, allowed: ReadonlySet<string>): Violation | undefined {
  const types: string[] = [];
  const fields = new Set<string>();
  const violates = (options: SELinux): boolean => {
    const { type = '', user = '', role = '' } = options ?? {};
    if (!allowed.has(type)) types.push(type);
    if (user !== '') fields.add('user may not be set');
    if (role !== '') fields.add('role may not be set');
    return !allowed.has(type) || user !== '' || role !== '';
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

/** Types of profiles that leave limits in force. */
export const safeProfileTypes: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost']);

export function seccompProfiles({ spec }: CheckedPod): Violation | undefined {
  const found = settersOf(spec, (context) => {
    const profile = context?.seccompProfile;
    return profile && !safeProfileTypes.has(profile.type ?? '') ? [profile.type ?? ''] : [];
  });
  const detail = `${found?.setters ?? ''} must not set securityContext.seccompProfile.type to ${quotedList(found?.values ?? [])}`;
  return found && { reason: 'seccompProfile', detail };
}

function sysctlsBeyond(allowed: ReadonlySet<string>): Check['find'] {
  return ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name = '' }) => name);
    const found = names.filter((name) => !allowed.has(name));
    return found.length > 0 ? { reason: 'forbidden sysctls', detail: found.join(', ') } : undefined;
  };
}

/** Containers of Windows with the rights of the host. */
function hostProcess({ spec }: CheckedPod): Violation | undefined {
  const found = settersOf(spec, (context) => (context?.windowsOptions?.hostProcess === true ? ['true'] : []));
  const detail = `${found?.setters ?? ''} must not set securityContext.windowsOptions.hostProcess=true`;
  return found && { reason: 'hostProcess', detail };
}

/** Probes and handlers that the node's agent would send elsewhere than to the pod. */
function handlerHosts({ spec }: CheckedPod): Violation | undefined {
  const found = violatingContainers(spec, ({ livenessProbe, readinessProbe, startupProbe, lifecycle }) => {
    const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
    const hosts = handlers.flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host]);
    return hosts.filter((host) => host != null && host !== '') as string[];
  });
  if (!found) return undefined;
  const verb = found.count === 1 ? 'uses' : 'use';
  const noun = found.values.length === 1 ? 'probe or lifecycle host' : 'probe or lifecycle hosts';
  const detail = `${found.containers} ${verb} ${noun} ${quotedList(found.values)}`;
  return { reason: 'probe or lifecycle host', detail };
}
