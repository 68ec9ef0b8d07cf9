/** PodTopologyLabels: what pods and bindings are labelled with. */
import { createPodTopologyLabels } from '../../../src/admission/pod-topology-labels.ts';
import { attributesOf, naming, readerOf, type Write } from '../../support/admission.ts';

const [zone, region] = ['topology.orch.io/zone', 'topology.orch.io/region'];
const reader = readerOf({
  'core/nodes/n1': {
    metadata: {
      name: 'n1',
      labels: { [zone]: 'z', [region]: 'r', 'topology.orch.io/rack': 'k', os: 'linux' },
    },
  },
  'core/nodes/plain': { metadata: { name: 'plain' } },
});
const plugin = createPodTopologyLabels(reader, naming);

async function labelsAfter(write: Write): Promise<unknown> {
  const attributes = attributesOf(write);
  await plugin.admit?.(attributes, undefined as never);
  return attributes.object?.metadata.labels;
}

const pod = (spec: object, labels?: object): Write => ({
  resource: 'pods',
  object: { ...(labels && { metadata: { labels } }), spec },
});
const binding = (target: object, labels?: object): Write => ({
  resource: 'pods/binding',
  object: { ...(labels && { metadata: { labels } }), target },
});

test.each<[string, Write, object | undefined]>([
  ['a pod of a node', pod({ nodeName: 'n1' }, { app: 'a' }), { app: 'a', [zone]: 'z', [region]: 'r' }],
  ['what it says itself', pod({ nodeName: 'n1' }, { [zone]: 'own' }), { [zone]: 'own', [region]: 'r' }],
  ['a pod without a node', pod({}), undefined],
  ['a pod of a node that is not known', pod({ nodeName: 'n2' }), undefined],
  ['a node without labels', pod({ nodeName: 'plain' }), undefined],
  ['a binding', binding({ kind: 'Node', name: 'n1' }), { [zone]: 'z', [region]: 'r' }],
  ['a binding to something else', binding({ kind: 'Rack', name: 'n1' }), undefined],
  ['an update', { ...pod({ nodeName: 'n1' }), operation: 'UPDATE' }, undefined],
])('%s', async (_what, write, labels) => {
  expect(await labelsAfter(write)).toEqual(labels);
});
