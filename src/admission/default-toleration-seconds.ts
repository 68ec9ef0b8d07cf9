/** DefaultTolerationSeconds: pods stay for some minutes on nodes that are not ready or cannot be reached, unless they say otherwise. */
import type { Pod as PodFields, Toleration } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { isAbout } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

/** Seconds that pods stay on such a node. */
export interface TolerationSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

const usualSeconds: TolerationSeconds = { notReady: 300, unreachable: 300 };
const effect = 'NoExecute';

export function createDefaultTolerationSeconds(
  { labelDomain }: NamingProfile,
  { notReady, unreachable }: TolerationSeconds = usualSeconds,
): AdmissionPlugin {
  const tolerations = [
    forAWhile(`node.${labelDomain}/not-ready`, notReady),
    forAWhile(`node.${labelDomain}/unreachable`, unreachable),
  ];
  return {
    name: 'DefaultTolerationSeconds',
    admit(attributes): void {
      const isWrite = attributes.operation === 'CREATE' || attributes.operation === 'UPDATE';
      if (!isWrite || !isAbout(attributes, 'pods')) return;
      const { spec = {} } = attributes.object as Stored<PodFields>;
      const present = spec.tolerations ?? [];
      const missing = tolerations.filter(
        ({ key }) => !present.some((toleration) => tolerates(toleration, key)),
      );
      if (missing.length > 0) spec.tolerations = [...present, ...missing.map((one) => ({ ...one }))];
    },
  };
}

/** An empty key or effect stands for all of them. */
function tolerates(toleration: Toleration, key: string): boolean {
  return [key, ''].includes(toleration.key ?? '') && [effect, ''].includes(toleration.effect ?? '');
}

function forAWhile(key: string, seconds: number): Toleration & { readonly key: string } {
  return { key, operator: 'Exists', effect, tolerationSeconds: seconds };
}
