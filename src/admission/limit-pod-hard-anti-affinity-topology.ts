/** LimitPodHardAntiAffinityTopology: required anti-affinity keeps pods apart by node only, not by larger domains. */
import type { Pod as PodFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { forbidden } from '../meta/status.ts';
import { isWriteOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export function createLimitPodHardAntiAffinityTopology({ labelDomain }: NamingProfile): AdmissionPlugin {
  const hostname = `${labelDomain}/hostname`;
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    validate(attributes): void {
      if (!isWriteOf(attributes, 'pods')) return;
      const { podAntiAffinity } = (attributes.object as Stored<PodFields>).spec?.affinity ?? {};
      const required = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const other = required.find(({ topologyKey }) => topologyKey !== hostname);
      if (!other) return;
      const { scope, name } = attributes;
      const problem = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey ?? ''} but only key ${hostname} is allowed`;
      throw forbidden(scope.resource.gvr, name, problem);
    },
  };
}
