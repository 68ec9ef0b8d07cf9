/** Which seccomp and AppArmor profiles a policy allows and sets; its annotations say so. */
import type { Container, PodSpec, SeccompProfile } from '../../api/core/v1.types.ts';
import { forbidden, type FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';

export type Annotations = Readonly<Record<string, string>>;

/** What a strategy looks at. */
export interface ProfiledPod {
  readonly annotations: Annotations;
  readonly spec: PodSpec;
}

export interface ProfileStrategy {
  /** Annotations that the pod lacks. */
  missing(pod: ProfiledPod, containers: readonly Container[]): Annotations;
  validatePod(pod: ProfiledPod): FieldError[];
  validateContainer(pod: ProfiledPod, container: Container): FieldError[];
}

const annotationsPath = FieldPath.of('pod').child('metadata').child('annotations');
const [runtimeDefault, dockerDefault] = ['runtime/default', 'docker/default'];
const anyProfile = '*';

/** `apparmor.security.beta.…`: without allowed profiles all are allowed. */
export function appArmorStrategy(ofPolicy: Annotations, { labelDomain }: NamingProfile): ProfileStrategy {
  const prefix = `apparmor.security.beta.${labelDomain}`;
  const keyOf = ({ name = '' }: Container): string => `container.${prefix}/${name}`;
  const initial = ofPolicy[`${prefix}/defaultProfileName`] ?? '';
  const listed = ofPolicy[`${prefix}/allowedProfileNames`];
  const allowed = new Set(listed?.split(','));
  return {
    missing: ({ annotations }, containers) =>
      Object.fromEntries(
        containers
          .filter((one) => initial !== '' && !annotations[keyOf(one)])
          .map((one) => [keyOf(one), initial]),
      ),
    validatePod: () => [],
    validateContainer: ({ annotations }, container) => {
      const key = keyOf(container);
      const profile = annotations[key] ?? '';
      if (listed === undefined || (profile !== '' && allowed.has(profile))) return [];
      const problem =
        profile === ''
          ? 'AppArmor profile must be set'
          : `${profile} is not an allowed profile. Allowed values: ${JSON.stringify(listed)}`;
      return [forbidden(annotationsPath.key(key), problem)];
    },
  };
}

/** `seccomp.security.alpha.…`: without allowed profiles none may be set. */
export function seccompStrategy(ofPolicy: Annotations, { labelDomain }: NamingProfile): ProfileStrategy {
  const prefix = `seccomp.security.alpha.${labelDomain}`;
  const podKey = `${prefix}/pod`;
  const initial = ofPolicy[`${prefix}/defaultProfileName`] ?? '';
  const listed = ofPolicy[`${prefix}/allowedProfileNames`];
  const allowed = allowedProfiles(listed);
  const judge = (key: string, profile: string): FieldError[] => {
    if (allowed.has(anyProfile) || allowed.has(profile) || (allowed.size === 0 && profile === '')) return [];
    const problem =
      allowed.size === 0
        ? 'seccomp may not be set'
        : `${profile} is not an allowed seccomp profile. Valid values are ${listed ?? ''}`;
    return [forbidden(annotationsPath.key(key), problem)];
  };
  const ofPod = ({ annotations, spec }: ProfiledPod): string =>
    (annotations[podKey] ?? '') || annotationOf(spec.securityContext?.seccompProfile);
  return {
    missing: (pod) => (initial !== '' && ofPod(pod) === '' ? { [podKey]: initial } : {}),
    validatePod: (pod) => judge(podKey, ofPod(pod)),
    validateContainer: (pod, container) => {
      const key = `container.${prefix}/${container.name ?? ''}`;
      const { seccompProfile } = container.securityContext ?? {};
      const own = seccompProfile ? annotationOf(seccompProfile) : pod.annotations[key];
      const { seccompProfile: inherited } = pod.spec.securityContext ?? {};
      const profile = own ?? (inherited ? annotationOf(inherited) : (pod.annotations[podKey] ?? ''));
      return judge(key, profile);
    },
  };
}

/** Two names mean the default of the runtime. */
function allowedProfiles(listed: string | undefined): ReadonlySet<string> {
  const allowed = new Set(listed?.split(','));
  if (allowed.has(runtimeDefault) || allowed.has(dockerDefault))
    for (const name of [runtimeDefault, dockerDefault]) allowed.add(name);
  return allowed;
}

/** A profile as the annotation of former releases says it; '' for none. */
function annotationOf(profile: SeccompProfile | null | undefined): string {
  const { type, localhostProfile } = profile ?? {};
  if (type === 'Unconfined') return 'unconfined';
  if (type === 'RuntimeDefault') return runtimeDefault;
  return type === 'Localhost' && localhostProfile != null ? `localhost/${localhostProfile}` : '';
}
