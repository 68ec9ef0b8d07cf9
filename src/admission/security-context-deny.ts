/** SecurityContextDeny: pods may not choose users, supplemental groups, the group of volumes or SELinux contexts. */
import type { Container, Pod as PodFields, PodSpec } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { forbidden } from '../meta/status.ts';
import { isWriteOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export function createSecurityContextDeny(): AdmissionPlugin {
  return {
    name: 'SecurityContextDeny',
    validate(attributes): void {
      if (!isWriteOf(attributes, 'pods')) return;
      const field = forbiddenField((attributes.object as Stored<PodFields>).spec ?? {});
      const { scope, name } = attributes;
      if (field !== undefined) throw forbidden(scope.resource.gvr, name, `${field} is forbidden`);
    },
  };
}

function forbiddenField({ securityContext, initContainers, containers }: PodSpec): string | undefined {
  const ofPod = [
    ['SupplementalGroups', securityContext?.supplementalGroups],
    ['SELinuxOptions', securityContext?.seLinuxOptions],
    ['RunAsUser', securityContext?.runAsUser],
    ['FSGroup', securityContext?.fsGroup],
  ] as const;
  const inPod = ofPod.find(([, value]) => value != null);
  if (inPod) return `pod.Spec.SecurityContext.${inPod[0]}`;
  const all: readonly Container[] = [...(initContainers ?? []), ...(containers ?? [])];
  for (const { securityContext: own } of all) {
    if (own?.seLinuxOptions != null) return 'SecurityContext.SELinuxOptions';
    if (own?.runAsUser != null) return 'SecurityContext.RunAsUser';
  }
  return undefined;
}
