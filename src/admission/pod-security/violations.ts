/** What a check finds, in words. */
import type { Container, PodSpec } from '../../api/core/v1.types.ts';

export interface Violation {
  /** A few words, the same for all pods that do so. */
  readonly reason: string;
  /** Which containers or values it is about. */
  readonly detail: string;
}

export interface ViolatingContainers {
  readonly count: number;
  /** `container "a"`, `containers "a", "b"` */
  readonly containers: string;
  /** The values that are forbidden, each once, sorted. */
  readonly values: readonly string[];
}

export function containersOf(spec: PodSpec): Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** The containers of which `find` gives a value; undefined: there is none. */
export function violatingContainers(
  spec: PodSpec,
  find: (container: Container) => readonly string[],
): ViolatingContainers | undefined {
  const names: string[] = [];
  const values: string[] = [];
  for (const container of containersOf(spec)) {
    const found = find(container);
    if (found.length > 0) names.push(container.name ?? '');
    for (const value of found) values.push(value);
  }
  if (names.length === 0) return undefined;
  return { count: names.length, containers: namesOf('container', names), values: sorted(values) };
}

export interface Setters {
  /** `pod and container "a"` */
  readonly setters: string;
  /** What they set, each once, sorted. */
  readonly values: readonly string[];
}

type AnyContext = PodSpec['securityContext'] | Container['securityContext'];

/** The pod and the containers whose security contexts have forbidden values; undefined: none has. */
export function settersOf(
  spec: PodSpec,
  find: (context: AnyContext) => readonly string[],
): Setters | undefined {
  const ofPod = find(spec.securityContext);
  const found = violatingContainers(spec, ({ securityContext }) => find(securityContext));
  if (ofPod.length === 0 && !found) return undefined;
  const setters = [...(ofPod.length > 0 ? ['pod'] : []), ...(found ? [found.containers] : [])].join(' and ');
  return { setters, values: sorted([...ofPod, ...(found?.values ?? [])]) };
}

/** `volume "a"`, `volumes "a", "b"` */
export function namesOf(noun: string, names: readonly string[]): string {
  return `${names.length === 1 ? noun : `${noun}s`} ${quotedList(names)}`;
}

export function quotedList(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

/** Each once. */
export function sorted(items: readonly string[]): string[] {
  return [...new Set(items)].sort();
}
