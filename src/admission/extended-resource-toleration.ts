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
      const present = spec.tolerations ?? [];
      const tolerated = new Set(present.filter(isForAllValues).map(({ key }) => key));
      const extended = new Set(requestedBy(spec).filter(isExtended).sort());
      const added = [...extended].filter((key) => !tolerated.has(key)).map(tolerationOf);
      if (added.length > 0) spec.tolerations = [...present, ...added];
    },
  };
}

function requestedBy({ containers, initContainers }: PodSpec): string[] {
  return [...(containers ?? []), ...(initContainers ?? [])].flatMap(({ resources }) =>
    Object.keys(resources?.requests ?? {}),
  );
}

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoSchedule' };
}

function isForAllValues({ operator, effect, value = '' }: Toleration): boolean {
  return operator === 'Exists' && effect === 'NoSchedule' && value === '';
}
