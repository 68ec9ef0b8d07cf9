/** TaintNodesByCondition: a new node gets no pods until the node life cycle controller has seen that it is ready. */
import type { Node as NodeFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { isCreationOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export function createTaintNodesByCondition({ labelDomain }: NamingProfile): AdmissionPlugin {
  const taint = { key: `node.${labelDomain}/not-ready`, effect: 'NoSchedule' };
  return {
    name: 'TaintNodesByCondition',
    admit(attributes): void {
      if (!isCreationOf(attributes, 'nodes')) return;
      const node = attributes.object as Stored<NodeFields>;
      const taints = node.spec?.taints ?? [];
      if (!taints.some(({ key, effect }) => key === taint.key && effect === taint.effect))
        node.spec = { ...node.spec, taints: [...taints, { ...taint }] };
    },
  };
}
