/** Plugins that look at pods and nodes: what each accepts, refuses, and makes of them. */
import { createAlwaysPullImages } from '../../../src/admission/always-pull-images.ts';
import type { AdmissionPlugin } from '../../../src/admission/admission-chain.ts';
import { createDefaultTolerationSeconds } from '../../../src/admission/default-toleration-seconds.ts';
import { createPodNodeSelector } from '../../../src/admission/pod-node-selector.ts';
import { createPriorityPlugin } from '../../../src/admission/priority.ts';
import { createRuntimeClassPlugin } from '../../../src/admission/runtime-class.ts';
import { createTaintNodesByCondition } from '../../../src/admission/taint-nodes-by-condition.ts';
import { attributesOf, naming, outcomeOf, readerOf, type Write } from '../../support/admission.ts';

const reader = readerOf({
  'core/namespaces/web': {
    metadata: { name: 'web', annotations: { 'scheduler.alpha.orch.io/node-selector': 'disk=fast, zone=' } },
  },
  'core/namespaces/api': { metadata: { name: 'api' } },
  'scheduling.orch.io/priorityclasses/high': {
    metadata: { name: 'high' },
    value: 100,
    preemptionPolicy: 'Never',
  },
  'scheduling.orch.io/priorityclasses/usual': { metadata: { name: 'usual' }, value: 5, globalDefault: true },
  'node.orch.io/runtimeclasses/bare': { metadata: { name: 'bare' }, handler: 'bare' },
  'node.orch.io/runtimeclasses/kata': {
    ...{ metadata: { name: 'kata' }, handler: 'kata', overhead: { podFixed: { cpu: '250m' } } },
    scheduling: { nodeSelector: { kata: 'yes' }, tolerations: [{ key: 'kata', operator: 'Exists' }] },
  },
});

const plugins = {
  pull: createAlwaysPullImages(),
  nodes: createPodNodeSelector(reader, naming),
  priority: createPriorityPlugin(reader, naming),
  runtime: createRuntimeClassPlugin(reader, naming),
  taint: createTaintNodesByCondition(naming),
  tolerate: createDefaultTolerationSeconds(naming),
  tolerateOtherwise: createDefaultTolerationSeconds(naming, { notReady: 0, unreachable: 20 }),
} satisfies Record<string, AdmissionPlugin>;

type Name = keyof typeof plugins;

/** What a plugin says of a write, and the spec that it leaves. */
async function seen(name: Name, write: Write): Promise<[string, unknown]> {
  const attributes = attributesOf(write);
  return [await outcomeOf(plugins[name], attributes), attributes.object?.['spec']];
}

function podWith(spec: object, more: Partial<Write> = {}): Write {
  return { resource: 'pods', object: { spec }, ...more };
}

const whole = { resource: 'pods', operation: 'UPDATE' } as const;
const stays = { tolerationSeconds: 300, operator: 'Exists', effect: 'NoExecute' };
const [notReady, unreachable] = ['not-ready', 'unreachable'].map((name) => ({
  key: `node.orch.io/${name}`,
  ...stays,
}));
const image = (imagePullPolicy: string): object => ({
  containers: [{ image: 'a', imagePullPolicy }],
  initContainers: [{ image: 'b' }],
});
const unready = { key: 'node.orch.io/not-ready', effect: 'NoSchedule' };

test.each<readonly [string, Name, Write, unknown]>([
  [
    'images are pulled',
    'pull',
    podWith(image('Never')),
    {
      containers: [{ image: 'a', imagePullPolicy: 'Always' }],
      initContainers: [{ image: 'b', imagePullPolicy: 'Always' }],
    },
  ],
  [
    'also when they change',
    'pull',
    { ...whole, object: { spec: image('Never') } },
    expect.objectContaining({ containers: [{ image: 'a', imagePullPolicy: 'Always' }] }),
  ],
  [
    'not for a status',
    'pull',
    { ...whole, resource: 'pods/status', object: { spec: image('Never') } },
    image('Never'),
  ],
  [
    'a namespace has nodes',
    'nodes',
    podWith({ nodeSelector: { a: 'b' } }),
    { nodeSelector: { a: 'b', disk: 'fast', zone: '' } },
  ],
  [
    'a pod says the same',
    'nodes',
    podWith({ nodeSelector: { disk: 'fast' } }),
    { nodeSelector: { disk: 'fast', zone: '' } },
  ],
  ['a namespace has none', 'nodes', podWith({}, { namespace: 'api' }), {}],
  [
    'a class',
    'priority',
    podWith({ priorityClassName: 'high' }),
    { priorityClassName: 'high', priority: 100, preemptionPolicy: 'Never' },
  ],
  [
    'the default class',
    'priority',
    podWith({}),
    { priorityClassName: 'usual', priority: 5, preemptionPolicy: 'PreemptLowerPriority' },
  ],
  [
    'the number that it has anyway',
    'priority',
    podWith({ priorityClassName: 'high', priority: 100 }),
    expect.objectContaining({ priority: 100 }),
  ],
  [
    'an update that leaves it out',
    'priority',
    { ...whole, object: { spec: {} }, oldObject: { spec: { priority: 7, preemptionPolicy: 'Never' } } },
    { priority: 7, preemptionPolicy: 'Never' },
  ],
  [
    'a runtime with a price',
    'runtime',
    podWith({ runtimeClassName: 'kata' }),
    {
      runtimeClassName: 'kata',
      overhead: { cpu: '250m' },
      nodeSelector: { kata: 'yes' },
      tolerations: [{ key: 'kata', operator: 'Exists' }],
    },
  ],
  [
    'the price that is told',
    'runtime',
    podWith({ runtimeClassName: 'kata', overhead: { cpu: '0.25' } }),
    expect.objectContaining({ overhead: { cpu: '250m' } }),
  ],
  ['a runtime without', 'runtime', podWith({ runtimeClassName: 'bare' }), { runtimeClassName: 'bare' }],
  ['no runtime', 'runtime', podWith({}), {}],
  ['nodes that are away', 'tolerate', podWith({}), { tolerations: [notReady, unreachable] }],
  [
    'nodes that are away, as long as flags say',
    'tolerateOtherwise',
    podWith({}),
    {
      tolerations: [
        { ...notReady, tolerationSeconds: 0 },
        { ...unreachable, tolerationSeconds: 20 },
      ],
    },
  ],
  [
    'one of them',
    'tolerate',
    podWith({ tolerations: [{ ...notReady, tolerationSeconds: 1 }] }),
    { tolerations: [{ ...notReady, tolerationSeconds: 1 }, unreachable] },
  ],
  [
    'everything',
    'tolerate',
    podWith({ tolerations: [{ operator: 'Exists' }] }),
    { tolerations: [{ operator: 'Exists' }] },
  ],
  ['a new node', 'taint', { resource: 'nodes', object: {} }, { taints: [unready] }],
  [
    'a new node with others',
    'taint',
    { resource: 'nodes', object: { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } } },
    { taints: [{ key: 'a', effect: 'NoExecute' }, unready] },
  ],
  [
    'a new node that says so',
    'taint',
    { resource: 'nodes', object: { spec: { taints: [unready] } } },
    { taints: [unready] },
  ],
  [
    'a node that changes',
    'taint',
    { resource: 'nodes', operation: 'UPDATE', object: { spec: {} }, oldObject: {} },
    {},
  ],
])('accepted: %s', async (_what, name, write, spec) => {
  expect(await seen(name, write)).toEqual(['', spec]);
});

const isOther =
  'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed';

test.each<readonly [string, Name, Write, string]>([
  [
    'other nodes',
    'nodes',
    podWith({ nodeSelector: { disk: 'slow' } }),
    'pod node label selector conflicts with its namespace node label selector',
  ],
  [
    'no class',
    'priority',
    podWith({ priorityClassName: 'none' }),
    'no PriorityClass with name none was found',
  ],
  [
    'another number',
    'priority',
    podWith({ priorityClassName: 'high', priority: 7 }),
    `${isOther} 100 from the given PriorityClass name`,
  ],
  [
    'another policy',
    'priority',
    podWith({ priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' }),
    'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
  ],
  [
    'a second default class',
    'priority',
    { resource: 'scheduling.orch.io/v1/priorityclasses', object: { globalDefault: true, value: 1 } },
    'PriorityClass usual is already marked as default. Only one default can exist',
  ],
  [
    'no runtime',
    'runtime',
    podWith({ runtimeClassName: 'none' }),
    'pod rejected: RuntimeClass "none" not found',
  ],
  [
    'a price of none',
    'runtime',
    podWith({ runtimeClassName: 'bare', overhead: { cpu: '1' } }),
    'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ],
  [
    'another price',
    'runtime',
    podWith({ runtimeClassName: 'kata', overhead: { cpu: '1' } }),
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    'other nodes than the runtime',
    'runtime',
    podWith({ runtimeClassName: 'kata', nodeSelector: { kata: 'no' } }),
    'conflict: runtimeClass.scheduling.nodeSelector[kata] = yes; pod.spec.nodeSelector[kata] = no',
  ],
])('refused: %s', async (_what, name, write, problem) => {
  expect((await seen(name, write))[0]).toBe(`403 ${problem}`);
});

test('the default class itself may change', async () => {
  const write = {
    resource: 'scheduling.orch.io/v1/priorityclasses',
    name: 'usual',
    operation: 'UPDATE',
  } as const;
  expect((await seen('priority', { ...write, object: { globalDefault: true, value: 5 } }))[0]).toBe('');
});
