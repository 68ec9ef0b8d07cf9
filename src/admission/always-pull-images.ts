/** AlwaysPullImages: a pod cannot use an image that is on a node already without the credentials to pull it. */
import type { Pod as PodFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { isAbout } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export function createAlwaysPullImages(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    admit(attributes): void {
      const isWrite = attributes.operation === 'CREATE' || attributes.operation === 'UPDATE';
      if (!isWrite || !isAbout(attributes, 'pods')) return;
      const { spec = {} } = attributes.object as Stored<PodFields>;
      for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
        container.imagePullPolicy = 'Always';
    },
  };
}
