/** ExtendedResourceToleration: a pod that requests extended resources tolerates the taints of nodes that are kept for them. */
import type { Pod as PodFields, PodSpec, Toleration } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { qualifiedName } from '../api/validation/name-rules.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { isWriteOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

/** Prefix of the amount of a resource in a quota. */
const quotaPrefix = 'requests.';

export function createExtendedResourceToleration({ labelDomain }: NamingProfile): AdmissionPlugin {
  const isExtended = (name: string): boolean =>
    name.includes('/') &&
    !name.includes(`${labelDomain}/`) &&
    !name.startsWith(quotaPrefix) &&
    qualifiedName(quotaPrefix + name).length === 0;
  return {
    name: 'ExtendedResourceToleration',
    admit(attributes): void {
      if (!isWriteOf(attributes, 'pods')) return;
      const { spec } = attributes.object as Stored<PodFields>;
      if (!spec) return;
      const extended = requestedBy(spec).filter(isExtended).sort();
      for (const key of new Set(extended)) {
        const present = spec.tolerations ?? [];
        const tolerates = present.some((toleration) => isToleration(toleration, key));
        if (!tolerates) spec.tolerations = [...present, { key, operator: 'Exists', effect: 'NoSchedule' }];
      }
    },
  };
}

function requestedBy({ containers, initContainers }: PodSpec): string[] {
  return [...(containers ?? []), ...(initContainers ?? [])].flatMap(({ resources }) =>
    Object.keys(resources?.requests ?? {}),
  );
}

function isToleration({ key, operator, effect, value = '' }: Toleration, wanted: string): boolean {
  return key === wanted && operator === 'Exists' && effect === 'NoSchedule' && value === '';
}
