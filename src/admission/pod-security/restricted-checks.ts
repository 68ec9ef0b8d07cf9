/** The checks that only the level `restricted` has. */
import type { Container, Volume } from '../../api/core/v1.types.ts';
import {
  hasUserNamespace,
  procMount,
  safeProfileTypes,
  seccompProfiles,
  type Check,
  type CheckedPod,
} from './checks.ts';
import { namesOf, quotedList, settersOf, sorted, violatingContainers, type Violation } from './violations.ts';

const restricted = { level: 'restricted', since: 0 } as const;

/** In the order in which violations are reported. */
export const restrictedChecks: readonly Check[] = [
  { ...restricted, since: 8, until: 25, find: privilegeEscalation },
  { ...restricted, since: 25, find: unlessWindows(privilegeEscalation) },
  { ...restricted, since: 22, until: 25, find: capabilities },
  { ...restricted, since: 25, find: unlessWindows(capabilities) },
  // What the baseline allows in a user namespace.
  { ...restricted, since: 35, find: (pod) => (hasUserNamespace(pod) ? procMount(pod) : undefined) },
  { ...restricted, find: volumes },
  { ...restricted, until: 35, find: runAsNonRoot },
  { ...restricted, since: 35, find: unlessInUserNamespace(runAsNonRoot) },
  { ...restricted, since: 23, until: 35, find: runAsRoot },
  { ...restricted, since: 35, find: unlessInUserNamespace(runAsRoot) },
  { ...restricted, since: 19, until: 25, find: seccomp },
  { ...restricted, since: 25, find: (pod) => seccompProfiles(pod) ?? unlessWindows(missingSeccomp)(pod) },
];

/** Windows has none of these, and validation refuses them there. */
function unlessWindows(find: Check['find']): Check['find'] {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : find(pod));
}

function unlessInUserNamespace(find: Check['find']): Check['find'] {
  return (pod) => (hasUserNamespace(pod) ? undefined : find(pod));
}

function seccomp(pod: CheckedPod): Violation | undefined {
  return seccompProfiles(pod) ?? missingSeccomp(pod);
}

function runAsRoot({ spec }: CheckedPod): Violation | undefined {
  const found = settersOf(spec, (context) => (context?.runAsUser === 0 ? ['0'] : []));
  return found && { reason: 'runAsUser=0', detail: `${found.setters} must not set runAsUser=0` };
}

/** The containers of which a property does not hold. */
function containersWithout(
  { spec }: CheckedPod,
  holds: (context: NonNullable<Container['securityContext']>) => boolean,
): string | undefined {
  return violatingContainers(spec, ({ securityContext }) => (holds(securityContext ?? {}) ? [] : ['it']))
    ?.containers;
}

function privilegeEscalation(pod: CheckedPod): Violation | undefined {
  const found = containersWithout(pod, (context) => context.allowPrivilegeEscalation === false);
  if (found === undefined) return undefined;
  const detail = `${found} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
}

function capabilities(pod: CheckedPod): Violation | undefined {
  const keeping = containersWithout(pod, (context) => context.capabilities?.drop?.includes('ALL') === true);
  const adding = violatingContainers(pod.spec, ({ securityContext }) =>
    (securityContext?.capabilities?.add ?? []).filter((one) => one !== 'NET_BIND_SERVICE'),
  );
  const details = [
    ...(keeping === undefined ? [] : [`${keeping} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding
      ? [
          `${adding.containers} must not include ${quotedList(adding.values)} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  return details.length > 0 ? { reason: 'unrestricted capabilities', detail: details.join('; ') } : undefined;
}

const safeVolumes: ReadonlySet<string> = new Set([
  ...[
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'image',
    'persistentVolumeClaim',
    'projected',
    'secret',
  ],
]);

function volumes({ spec }: CheckedPod): Violation | undefined {
  const typeOf = (volume: Volume): string =>
    Object.keys(volume).find((key) => key !== 'name' && volume[key as keyof Volume] != null) ?? 'unknown';
  const found = (spec.volumes ?? []).filter((volume) => !safeVolumes.has(typeOf(volume)));
  if (found.length === 0) return undefined;
  const names = found.map(({ name = '' }) => name);
  const types = sorted(found.map(typeOf));
  const verb = names.length === 1 ? 'uses' : 'use';
  const noun = types.length === 1 ? 'restricted volume type' : 'restricted volume types';
  return {
    reason: 'restricted volume types',
    detail: `${namesOf('volume', names)} ${verb} ${noun} ${quotedList(types)}`,
  };
}

function runAsNonRoot(pod: CheckedPod): Violation | undefined {
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const refusing = containersWithout(pod, (context) => context.runAsNonRoot !== false);
  const setters = [...(ofPod === false ? ['pod'] : []), ...(refusing === undefined ? [] : [refusing])];
  const reason = 'runAsNonRoot != true';
  if (setters.length > 0)
    return { reason, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  const silent = containersWithout(pod, (context) => (context.runAsNonRoot ?? ofPod) === true);
  if (silent === undefined) return undefined;
  return { reason, detail: `pod or ${silent} must set securityContext.runAsNonRoot=true` };
}

function missingSeccomp(pod: CheckedPod): Violation | undefined {
  const ofPod = pod.spec.securityContext?.seccompProfile;
  const silent = containersWithout(pod, (context) =>
    safeProfileTypes.has((context.seccompProfile ?? ofPod)?.type ?? ''),
  );
  if (silent === undefined) return undefined;
  const detail = `pod or ${silent} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: 'seccompProfile', detail };
}
