/** What can be chosen of a control plane, and the flags of the service that it means. */
import type { FlagTexts } from '../options/serve-flags.ts';

/** Names of the API: those of Kubernetes, or the service's own. */
export type Naming = 'kubernetes' | 'orch';

export type LogsOption = 'attached' | 'printed' | 'quiet';

export interface ControlPlaneUser {
  readonly name: string;
  /** `system:authenticated` is added by the service. */
  readonly groups?: readonly string[];
}

/** What keeps the objects: a model of etcd in memory, or a real one. */
export type Engine = 'memory' | 'etcd';

export interface ControlPlaneOptions {
  /** Default `memory`, which needs no program and no file. */
  readonly engine?: Engine;
  /** URLs of an etcd that runs, for the engine `etcd`; absent: one is started in a folder that goes with it. */
  readonly etcdServers?: readonly string[];
  /** Default `kubernetes`. */
  readonly naming?: Naming;
  /** The release of Kubernetes whose API is served, such as `1.25`; default that of the service. */
  readonly release?: string;
  /** Admission plugins beside, or without, the default ones. */
  readonly admission?: { readonly enable?: readonly string[]; readonly disable?: readonly string[] };
  /** The controllers that run, as `--controllers` takes them (`*`, `-resourcequota`); default all. */
  readonly controllers?: readonly string[];
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Users beside the administrator. They may do what objects of RBAC say. */
  readonly users?: readonly ControlPlaneUser[];
  /** A file that `save` has written: the objects from the start. */
  readonly state?: string;
  /** Manifests of CustomResourceDefinitions: files, or folders of them. The start waits until they are served. */
  readonly crds?: readonly string[];
  /** Objects that exist from the start: as objects, or files or folders of manifests. */
  readonly objects?: readonly (string | object)[];
  /**
   * `virtual`: time goes on as everywhere, and can be moved forward with `advance`. Default: that of the machine.
   */
  readonly clock?: 'system' | 'virtual';
  /**
   * `attached`: what the service logs while `until` and `settled` wait in vain stands in their errors; `printed`: it is
   * also written to the standard error; `quiet`: neither. Default `attached`. `logs()` gives it in any case.
   */
  readonly logs?: LogsOption;
  /** What faults are decided by; default: a random number. Equal seeds repeat what faults do. */
  readonly seed?: number;
  /** Default 0: a free one. */
  readonly port?: number;
  /**
   * Name or address under which clients reach it, as kubeconfigs say it, and for which its certificate is valid, too. Default
   * 127.0.0.1. For others than loopback the flag `bind-address` has to be set.
   */
  readonly advertiseAddress?: string;
  /** Port under which clients reach it, as when ports are mapped. Default: its own. */
  readonly advertisePort?: number;
  /** More flags of the service, by name: `{ 'event-ttl': '10m', 'anonymous-auth': false }`. */
  readonly flags?: Readonly<Record<string, string | number | boolean>>;
}

/** Flags that would take away what a control plane of tests gives. */
const ownFlags: ReadonlySet<string> = new Set([
  'data-dir',
  'etcd-servers',
  'etcd-servers-overrides',
  'tls-cert-file',
  'tls-private-key-file',
  'client-ca-file',
  'token-auth-file',
  'workers',
]);

/**
 * The flags of the service for these options.
 * @throws TypeError for flags that have an option of their own, or none
 */
export function flagsOf(options: ControlPlaneOptions): FlagTexts {
  const { naming = 'kubernetes', release, admission, controllers, featureGates, port = 0, flags } = options;
  checkNames(Object.keys(flags ?? {}));
  const gates = Object.entries(featureGates ?? {}).map(([gate, isOn]) => `${gate}=${String(isOn)}`);
  return {
    'bind-address': '127.0.0.1',
    ...portFlag(port),
    // Nobody looks away before it stops.
    'shutdown-delay-duration': '0s',
    naming,
    ...(release !== undefined && { 'emulated-release': release }),
    ...listFlag('enable-admission-plugins', admission?.enable),
    ...listFlag('disable-admission-plugins', admission?.disable),
    ...listFlag('controllers', controllers),
    ...listFlag('feature-gates', gates),
    ...Object.fromEntries(Object.entries(flags ?? {}).map(([name, value]) => [name, String(value)])),
  };
}

/** Those that an option stands for. */
const optionOf: ReadonlyMap<string, string> = new Map([
  ['secure-port', 'port'],
  ['emulated-release', 'release'],
  ['naming', 'naming'],
  ['enable-admission-plugins', 'admission.enable'],
  ['disable-admission-plugins', 'admission.disable'],
  ['controllers', 'controllers'],
  ['feature-gates', 'featureGates'],
  ['etcd-servers', 'etcdServers'],
]);

/** A text about flags with the options that stand for them, unless the caller gave them as flags. */
export function inOptions(text: string, { flags = {} }: Pick<ControlPlaneOptions, 'flags'>): string {
  return text.replace(/(\bflag )?--([a-z-]+)/g, (whole, word: string | undefined, name: string) => {
    const option = Object.hasOwn(flags, name) ? undefined : optionOf.get(name);
    return option === undefined ? whole : `${word === undefined ? '' : 'option '}\`${option}\` (--${name})`;
  });
}

/** The flag of a port; 0 is a free one. */
export function portFlag(port: number): FlagTexts {
  return { 'secure-port': String(port) };
}

function checkNames(names: readonly string[]): void {
  for (const name of names) {
    if (ownFlags.has(name))
      throw new TypeError(`the flag --${name} cannot be set here: the control plane sets it itself`);
  }
}

function listFlag(name: string, values: readonly string[] | undefined): Readonly<Record<string, string>> {
  return values === undefined || values.length === 0 ? {} : { [name]: values.join(',') };
}
