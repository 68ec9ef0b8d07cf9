/**
 * PodTopologyLabels: a pod has the zone and the region of its node as labels (KEP-4742). A binding gets those that it does not
 * say, and gives them to the pod (`src/registry/subresources/binding.ts`).
 */
import type { Binding, Pod as PodFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { ApiObject } from '../meta/object.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { isAbout } from './attributes.ts';
import { find, type ObjectReader } from './object-reader.ts';

export function createPodTopologyLabels(
  reader: ObjectReader,
  { labelDomain }: NamingProfile,
): AdmissionPlugin {
  const labels = [`topology.${labelDomain}/zone`, `topology.${labelDomain}/region`];
  return {
    name: 'PodTopologyLabels',
    admit(attributes): void | Promise<void> {
      const node = nodeOf(attributes);
      return node === '' ? undefined : addLabels(reader, attributes, { node, labels });
    },
  };
}

/** The node that a new pod or a binding names; ''. */
function nodeOf(attributes: AdmissionAttributes): string {
  if (attributes.operation !== 'CREATE') return '';
  if (isAbout(attributes, 'pods')) return (attributes.object as Stored<PodFields>).spec?.nodeName ?? '';
  if (!isAbout(attributes, 'pods', 'binding')) return '';
  const { target } = attributes.object as Stored<Binding>;
  // A target without a kind gets no labels, as in the reference.
  return target?.kind === 'Node' ? (target.name ?? '') : '';
}

interface Topology {
  readonly node: string;
  /** Names of labels. */
  readonly labels: readonly string[];
}

/** Of a node that is not there, nothing is known. */
async function addLabels(
  reader: ObjectReader,
  { object, scope }: AdmissionAttributes,
  { node, labels }: Topology,
): Promise<void> {
  const known = (await find(reader, 'core/nodes', node, scope.signal))?.metadata.labels ?? {};
  const found: [string, string][] = labels.flatMap((key) =>
    Object.hasOwn(known, key) ? [[key, known[key] ?? '']] : [],
  );
  if (object === undefined || found.length === 0) return;
  // A binding may come without metadata.
  const { metadata } = object as { metadata?: ApiObject['metadata'] };
  object.metadata = { ...metadata, labels: { ...Object.fromEntries(found), ...metadata?.labels } };
}
