/** PodNodeSelector: an annotation of the namespace says on which nodes its pods run. */
import type { Pod as PodFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { forbidden } from '../meta/status.ts';
import { isCreationOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { find, type ObjectReader } from './object-reader.ts';

export function createPodNodeSelector(reader: ObjectReader, { labelDomain }: NamingProfile): AdmissionPlugin {
  const annotation = `scheduler.alpha.${labelDomain}/node-selector`;
  return {
    name: 'PodNodeSelector',
    async admit(attributes): Promise<void> {
      if (!isCreationOf(attributes, 'pods')) return;
      const { scope, name } = attributes;
      const namespace = await find(reader, 'core/namespaces', scope.namespace, scope.signal);
      const wanted = readLabels(namespace?.metadata.annotations?.[annotation] ?? '');
      const { spec = {} } = attributes.object as Stored<PodFields>;
      const { nodeSelector = {} } = spec;
      const isOther = ([key, value]: [string, string]): boolean =>
        Object.hasOwn(nodeSelector, key) && nodeSelector[key] !== value;
      if (wanted.some(isOther)) {
        const problem = 'pod node label selector conflicts with its namespace node label selector';
        throw forbidden(scope.resource.gvr, name, problem);
      }
      if (wanted.length > 0) spec.nodeSelector = { ...nodeSelector, ...Object.fromEntries(wanted) };
    },
  };
}

/** `a=b,c=d` */
function readLabels(text: string): [string, string][] {
  return text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [key = '', value = ''] = part.split('=', 2);
      return [key.trim(), value.trim()];
    });
}
