/** DefaultTolerationSeconds: pods stay for five minutes on nodes that are not ready or cannot be reached, unless they say otherwise. */
import type { Pod as PodFields, Toleration } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { isAbout } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

const seconds = 300;
const effect = 'NoExecute';

export function createDefaultTolerationSeconds({ labelDomain }: NamingProfile): AdmissionPlugin {
  const keys = ['not-ready', 'unreachable'].map((taint) => `node.${labelDomain}/${taint}`);
  return {
    name: 'DefaultTolerationSeconds',
    admit(attributes): void {
      const isWrite = attributes.operation === 'CREATE' || attributes.operation === 'UPDATE';
      if (!isWrite || !isAbout(attributes, 'pods')) return;
      const { spec = {} } = attributes.object as Stored<PodFields>;
      const present = spec.tolerations ?? [];
      const missing = keys.filter((key) => !present.some((toleration) => tolerates(toleration, key)));
      if (missing.length > 0) spec.tolerations = [...present, ...missing.map(forAWhile)];
    },
  };
}

/** An empty key or effect stands for all of them. */
function tolerates(toleration: Toleration, key: string): boolean {
  return [key, ''].includes(toleration.key ?? '') && [effect, ''].includes(toleration.effect ?? '');
}

function forAWhile(key: string): Toleration {
  return { key, operator: 'Exists', effect, tolerationSeconds: seconds };
}
