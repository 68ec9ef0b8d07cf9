/** Node mode: what the graph of nodes knows after each change, and what an agent may do. */
import { followedBy } from '../../../src/authz/node/node-informer.ts';
import { createNodeAuthorizer } from '../../../src/authz/node/node-authorizer.ts';
import { NodeGraph } from '../../../src/authz/node/node-graph.ts';
import { specifiedPolicy } from '../../../src/authz/bootstrap/served-policy.ts';
import type { AuthorizerDecision, RuleAuthorizer } from '../../../src/authz/types.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { RequestSelectors } from '../../../src/meta/request-selectors.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { asked, user } from '../../support/policy.ts';

const naming = namingProfiles.orch;

/** A graph that is fed with stored objects, and the authorizer over it. */
class Nodes {
  readonly graph = new NodeGraph();
  /** Changes of the graph, as metrics see them. */
  readonly changes: string[] = [];
  private readonly indexes: ReturnType<typeof followedBy>;
  private readonly authorizer: RuleAuthorizer;

  constructor(readsSelectors = false, served = specifiedPolicy) {
    const [claims, podCertificates] = ['DynamicResourceAllocation', 'PodCertificateRequest'].map((gate) =>
      served.isFeatureEnabled(gate),
    );
    const follows = { claims: claims === true, podCertificates: podCertificates === true };
    this.indexes = followedBy(this.graph, naming, (operation) => this.changes.push(operation), follows);
    this.authorizer = createNodeAuthorizer(this.graph, naming, { readsSelectors, follows, served });
  }

  put(collection: string, key: string, body: JsonObject, isChange = false): this {
    this.indexes[collection]!.put(entryOf(collection, key, body), isChange);
    return this;
  }

  remove(collection: string, key: string): this {
    this.indexes[collection]!.remove(key);
    return this;
  }

  /** '' where it is allowed, else the reason; the agent of the node `a` unless another user asks. */
  asks(text: string, who = user('system:node:a', 'system:nodes'), fieldSelector = ''): string {
    const selectors = new RequestSelectors(fieldSelector, '');
    const info = { ...asked(text), selectors };
    const decision = this.authorizer.authorize({ user: who, info }) as AuthorizerDecision;
    return decision.decision === 'allow' ? '' : `${decision.decision}: ${decision.reason}`;
  }

  may(text: string, node = 'a'): boolean {
    return this.asks(text, user(`system:node:${node}`, 'system:nodes')) === '';
  }
}

function entryOf(collection: string, key: string, body: JsonObject): Entry {
  const [name = '', namespace] = key.split('/').reverse();
  const metadata = {
    ...(body['metadata'] as JsonObject),
    name,
    ...(namespace !== undefined && { namespace }),
  };
  const bytes = encodeStored({ apiVersion: 'v1', kind: 'Any', ...body, metadata });
  return { collection, key, modRevision: 1, bytes, memo: undefined };
}

const unrelated = "noOpinion: no relationship found between node 'a' and this object";

/** A pod with one reference of every sort. */
const everything: JsonObject = {
  serviceAccountName: 'robot',
  imagePullSecrets: [{ name: 'pull' }],
  initContainers: [
    { name: 'i', envFrom: [{ secretRef: { name: 'env' } }, { configMapRef: { name: 'map' } }] },
  ],
  containers: [
    { name: 'c', env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } }] },
    { name: 'd', env: [{ name: 'K', valueFrom: { configMapKeyRef: { name: 'mapkey', key: 'k' } } }] },
  ],
  volumes: [
    { name: 's', secret: { secretName: 'mounted' } },
    { name: 'm', configMap: { name: 'files' } },
    { name: 'p', projected: { sources: [{ secret: { name: 'part' } }, { configMap: { name: 'piece' } }] } },
    { name: 'claim', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: {} } },
    { name: 'csi', csi: { driver: 'd', nodePublishSecretRef: { name: 'csi' } } },
  ],
};

const volume: JsonObject = {
  claimRef: { namespace: 'web', name: 'data' },
  csi: {
    driver: 'd',
    nodeStageSecretRef: { namespace: 'keys', name: 'stage' },
    controllerPublishSecretRef: { namespace: 'keys', name: 'controller' },
  },
};

function withPod(spec = everything, metadata: JsonObject = {}): Nodes {
  return new Nodes().put('core/pods', 'web/p', { metadata, spec: { ...spec, nodeName: 'a' } });
}

const referred = [
  ...['pull', 'env', 'key', 'mounted', 'part', 'csi'].map((name) => `get secrets in web named ${name}`),
  ...['map', 'mapkey', 'files', 'piece'].map((name) => `get configmaps in web named ${name}`),
  ...['data', 'p-scratch'].map((name) => `get persistentvolumeclaims in web named ${name}`),
  'create serviceaccounts/token in web named robot',
];

test.each(referred)('a pod on the node refers to it: %s', (text) => {
  const nodes = withPod();
  expect([nodes.may(text), nodes.may(text, 'b')]).toEqual([true, false]);
  expect(nodes.asks(text.replace('in web', 'in api'))).toBe(unrelated);
  expect(nodes.remove('core/pods', 'web/p').asks(text)).toBe(unrelated);
});

test('a pod without a node gives nothing, and binding it does', () => {
  const nodes = new Nodes().put('core/pods', 'web/p', { spec: everything });
  expect(nodes.asks(referred[0]!)).toBe(unrelated);
  nodes.put('core/pods', 'web/p', { spec: { ...everything, nodeName: 'a' } }, true);
  expect(nodes.may(referred[0]!)).toBe(true);
});

test('a mirror pod gives its node nothing', () => {
  const nodes = withPod(everything, { annotations: { 'orch.io/config.mirror': 'hash' } });
  expect(referred.filter((text) => nodes.may(text))).toEqual([]);
});

test('an object stays readable while another pod of the node refers to it', () => {
  const nodes = withPod().put('core/pods', 'web/q', { spec: { ...everything, nodeName: 'a' } });
  nodes.remove('core/pods', 'web/p');
  expect(nodes.may('get secrets in web named pull')).toBe(true);
  expect(nodes.may('get persistentvolumeclaims in web named p-scratch')).toBe(false);
  nodes.remove('core/pods', 'web/q');
  expect(nodes.asks('get secrets in web named pull')).toBe(unrelated);
});

test('an ephemeral container that is added later refers, too', () => {
  const grown = {
    ...everything,
    nodeName: 'a',
    ephemeralContainers: [{ name: 'e', envFrom: [{ secretRef: { name: 'late' } }] }],
  };
  const nodes = withPod().put('core/pods', 'web/p', { spec: grown }, true);
  expect(nodes.may('get secrets in web named late')).toBe(true);
});

test('a volume and its secrets are for the nodes whose pods use its claim', () => {
  const nodes = withPod().put('core/persistentvolumes', 'v', { spec: volume });
  const stage = 'get secrets in keys named stage';
  expect([nodes.may('get persistentvolumes named v'), nodes.may(stage)]).toEqual([true, true]);
  expect([nodes.may('get persistentvolumes named v', 'b'), nodes.may(stage, 'b')]).toEqual([false, false]);
  expect(nodes.asks('get secrets in keys named controller')).toBe(unrelated);
  nodes.put('core/persistentvolumes', 'v', {
    spec: { ...volume, claimRef: { namespace: 'web', name: 'x' } },
  });
  expect([nodes.may('get persistentvolumes named v'), nodes.may(stage)]).toEqual([false, false]);
  nodes.put('core/persistentvolumes', 'v', { spec: volume });
  expect(nodes.may(stage)).toBe(true);
  nodes.remove('core/persistentvolumes', 'v');
  expect(nodes.asks(stage)).toBe(unrelated);
});

const ofClaim = { name: 'old' };
test.each<readonly [string, JsonObject, string]>([
  ['azureFile', { secretName: 'old' }, 'web'],
  ['azureFile', { secretName: 'old', secretNamespace: 'keys' }, 'keys'],
  ['cephfs', { secretRef: ofClaim }, 'web'],
  ['rbd', { secretRef: { ...ofClaim, namespace: 'keys' } }, 'keys'],
  ['iscsi', { secretRef: ofClaim }, 'web'],
  ['flexVolume', { secretRef: ofClaim }, 'web'],
  ['scaleIO', { secretRef: ofClaim }, 'web'],
  ['cinder', { secretRef: { ...ofClaim, namespace: 'keys' } }, 'keys'],
  ['storageos', { secretRef: { ...ofClaim, namespace: 'keys' } }, 'keys'],
])('the secret of a volume of type %s', (type, source, namespace) => {
  const { claimRef } = volume;
  const nodes = withPod().put('core/persistentvolumes', 'v', {
    spec: { claimRef: claimRef!, [type]: source },
  });
  expect(nodes.may(`get secrets in ${namespace} named old`)).toBe(true);
});

test('attachments are for their node', () => {
  const collection = 'storage.orch.io/volumeattachments';
  const nodes = new Nodes().put(collection, 'att', { spec: { nodeName: 'a' } });
  const text = 'get volumeattachments.storage.orch.io named att';
  expect([nodes.may(text), nodes.may(text, 'b')]).toEqual([true, false]);
  expect(nodes.remove(collection, 'att').asks(text)).toBe(unrelated);
});

test('the ConfigMap of a dynamic configuration is for its node', () => {
  const config = (name: string): JsonObject => ({
    spec: { configSource: { configMap: { namespace: 'orch-system', name, kubeletConfigKey: 'k' } } },
  });
  const nodes = new Nodes().put('core/nodes', 'a', config('one'));
  expect(nodes.may('get configmaps in orch-system named one')).toBe(true);
  nodes.put('core/nodes', 'a', config('two'), true);
  expect(nodes.may('get configmaps in orch-system named one')).toBe(false);
  expect(nodes.may('get configmaps in orch-system named two')).toBe(true);
  nodes.put('core/nodes', 'a', { spec: {} }, true);
  expect(nodes.may('get configmaps in orch-system named two')).toBe(false);
});

test('nothing is left of what is gone', () => {
  const nodes = withPod().put('core/persistentvolumes', 'v', { spec: volume });
  nodes.remove('core/persistentvolumes', 'v').remove('core/pods', 'web/p');
  const held = Object.values(nodes.graph).map((part) => (part as Map<string, unknown>).size);
  expect(held.length).toBeGreaterThan(4);
  expect(held.every((size) => size === 0)).toBe(true);
});

const lease = 'leases.coordination.orch.io';
const csiNode = 'csinodes.storage.orch.io';

test.each<readonly [string, string]>([
  ['list secrets in web named pull', ''],
  ['watch configmaps in web named map', ''],
  ['list secrets in web', 'noOpinion: No Object name found'],
  ['list secrets', 'noOpinion: can only read namespaced object of this type'],
  ['update secrets in web named pull', 'noOpinion: can only read resources of this type'],
  ['get secrets/x in web named pull', 'noOpinion: cannot read subresource'],
  [
    'list persistentvolumeclaims in web named data',
    'noOpinion: can only get individual resources of this type',
  ],
  ['get persistentvolumeclaims/x in web named data', 'noOpinion: cannot get subresource'],
  ['patch persistentvolumeclaims/status in web named data', ''],
  ['update persistentvolumeclaims/status in web named other', unrelated],
  ['get persistentvolumeclaims/status in web named data', 'noOpinion: can only get/update/patch this type'],
  ['delete persistentvolumes named v', 'noOpinion: can only get individual resources of this type'],
  [
    'create serviceaccounts/token in web',
    'noOpinion: can only create tokens for individual service accounts',
  ],
  [
    'get serviceaccounts in web named robot',
    'noOpinion: can only create tokens for individual service accounts',
  ],
  [
    'create serviceaccounts/x in web named robot',
    'noOpinion: can only create token subresource of serviceaccount',
  ],
  [`create ${lease} in orch-node-lease`, ''],
  [`patch ${lease} in orch-node-lease named a`, ''],
  [
    `get ${lease} in orch-node-lease named b`,
    'noOpinion: can only access node lease with the same name as the requesting node',
  ],
  [
    `get ${lease} in web named a`,
    'noOpinion: can only access leases in the "orch-node-lease" system namespace',
  ],
  [
    `list ${lease} in orch-node-lease`,
    'noOpinion: can only get, create, update, patch, or delete a node lease',
  ],
  [`create ${csiNode}`, ''],
  [`delete ${csiNode} named a`, ''],
  [`get ${csiNode} named b`, 'noOpinion: can only access CSINode with the same name as the requesting node'],
  [`list ${csiNode}`, 'noOpinion: can only get, create, update, patch, or delete a CSINode'],
  ['list pods', ''],
  ['create pods/eviction in web named p', ''],
  ['patch nodes/status named b', ''],
  ['list services in web', ''],
  ['create certificatesigningrequests.certificates.orch.io', ''],
  ['delete services in web named s', 'noOpinion: '],
  ['get /metrics', 'noOpinion: '],
])('%s: %j', (text, outcome) => {
  const nodes = withPod().put('core/persistentvolumes', 'v', { spec: volume });
  expect(nodes.asks(text)).toBe(outcome);
});

test('others than agents of nodes are no matter of this mode', () => {
  const nodes = withPod();
  const text = 'get secrets in web named pull';
  expect(nodes.asks(text, user('system:node:a'))).toBe('noOpinion: ');
  expect(nodes.asks(text, user('ann', 'system:nodes'))).toBe('noOpinion: ');
  expect(nodes.asks(text, user('system:node:', 'system:nodes'))).toBe(
    'noOpinion: unknown node for user "system:node:"',
  );
  const authorizer = createNodeAuthorizer(nodes.graph, naming, { readsSelectors: false });
  expect(authorizer.rulesFor(user('ann'), '').problems).toEqual([]);
  expect(authorizer.rulesFor(user('system:node:a', 'system:nodes'), '').problems).toEqual([
    'node authorizer does not support user rule resolution',
  ]);
});

test('changes of the graph are observed; a change of a pod that cannot matter is none', () => {
  const nodes = new Nodes();
  const attachments = `storage.${naming.apiDomain}/volumeattachments`;
  nodes.put('core/pods', 'n/p', { spec: { nodeName: 'a' } });
  nodes.put('core/pods', 'n/p', { spec: { nodeName: 'a' } }, true).remove('core/pods', 'n/p');
  nodes.put('core/nodes', 'a', {}).put('core/persistentvolumes', 'v', {}).put(attachments, 'x', {});
  nodes.remove('core/persistentvolumes', 'v').remove(attachments, 'x');
  expect(nodes.changes).toEqual([
    ...['AddPod', 'DeletePod', 'SetNodeConfigMap', 'AddPV', 'AddVolumeAttachment'],
    ...['DeletePV', 'DeleteVolumeAttachment'],
  ]);
});

describe('with AuthorizeNodeWithSelectors', () => {
  const agent = user('system:node:a', 'system:nodes');
  const withPods = (): Nodes =>
    new Nodes(true)
      .put('core/pods', 'web/mine', { spec: { nodeName: 'a' } })
      .put('core/pods', 'web/other', { spec: { nodeName: 'b' } });
  const wide = 'noOpinion: can only list/watch pods with spec.nodeName field selector';

  test.each(['list', 'watch'])('a node may %s the pods that are bound to it alone', (verb) => {
    const nodes = withPods();
    const of = (selector: string): string => nodes.asks(`${verb} pods`, agent, selector);
    expect([of('spec.nodeName=a'), of('status.phase=Running,spec.nodeName==a')]).toEqual(['', '']);
    for (const selector of [
      '',
      'spec.nodeName=b',
      'spec.nodeName!=a',
      'spec.nodeName=a,,=',
      'metadata.name=a',
    ])
      expect([selector, of(selector)]).toEqual([selector, wide]);
    expect(nodes.asks(`${verb} pods in web named mine`)).toBe('');
    expect(nodes.asks(`${verb} pods in web named other`)).toBe(unrelated);
  });

  test('it reads its own pods and itself', () => {
    const nodes = withPods();
    expect(nodes.asks('get pods in web named mine')).toBe('');
    expect(nodes.asks('get pods in web named other')).toBe(unrelated);
    expect(nodes.asks('get pods/log in web named mine')).toBe('noOpinion: ');
    for (const verb of ['get', 'list', 'watch']) expect(nodes.asks(`${verb} nodes named a`)).toBe('');
    expect(nodes.asks('get nodes named b')).toBe(
      "noOpinion: node 'a' cannot read 'b', only its own Node object",
    );
    expect(nodes.asks('list nodes')).toBe(
      "noOpinion: node 'a' cannot read all nodes, only its own Node object",
    );
  });

  test('it writes what it wrote before', () => {
    const nodes = withPods();
    for (const text of [
      ...['create pods in web', 'delete pods in web named mine', 'patch pods/status in web named mine'],
      ...['create pods/eviction in web named mine', 'create nodes', 'patch nodes/status named a'],
    ])
      expect([text, nodes.asks(text)]).toEqual([text, '']);
    expect(nodes.asks('update pods in web named mine')).toBe('noOpinion: ');
    expect(nodes.asks('delete nodes named a')).toBe('noOpinion: ');
  });
});

test('before, a node may read all pods and nodes', () => {
  const nodes = new Nodes();
  for (const text of ['list pods', 'get nodes named b', 'watch nodes']) expect(nodes.asks(text)).toBe('');
});

describe('kinds of later releases', () => {
  const newest = { minor: 36, isFeatureEnabled: () => true };
  const slices = 'resource.orch.io/resourceslices';
  const requests = 'certificates.orch.io/podcertificaterequests';
  const spec = { nodeName: 'a', resourceClaims: [{ name: 'r', resourceClaimName: 'named' }] };
  const made = { resourceClaimStatuses: [{ name: 't', resourceClaimName: 'made' }] };

  test('resource claims of its pods are read, also those that were made for them', () => {
    const nodes = new Nodes(true, newest).put('core/pods', 'web/p', { spec });
    const claim = (name: string): string => `get resourceclaims.resource.orch.io in web named ${name}`;
    expect(['named', 'made', 'other'].map((name) => nodes.may(claim(name)))).toEqual([true, false, false]);
    nodes.put('core/pods', 'web/p', { spec, status: made }, true);
    expect(['named', 'made', 'other'].map((name) => nodes.may(claim(name)))).toEqual([true, true, false]);
    expect(nodes.may(claim('named'), 'b')).toBe(false);
    nodes.remove('core/pods', 'web/p');
    expect(nodes.may(claim('named'))).toBe(false);
  });

  test('slices and requests for certificates are its own', () => {
    const nodes = new Nodes(true, newest)
      .put(slices, 's', { spec: { nodeName: 'a' } })
      .put(requests, 'web/c', { spec: { nodeName: 'a' } });
    const of = [
      'resourceslices.resource.orch.io named s',
      'podcertificaterequests.certificates.orch.io in web named c',
    ];
    for (const what of of) {
      expect([nodes.may(`get ${what}`), nodes.may(`get ${what}`, 'b')]).toEqual([true, false]);
      const all = what.replace(/ named \w+/, '');
      expect(nodes.may(`create ${all}`)).toBe(true);
      expect(nodes.asks(`list ${all}`, undefined, 'spec.nodeName=a')).toBe('');
      expect(nodes.asks(`list ${all}`, undefined, 'spec.nodeName=b')).toContain('field selector');
    }
    expect(nodes.may('deletecollection resourceslices.resource.orch.io')).toBe(false);
    expect(nodes.may('delete podcertificaterequests.certificates.orch.io in web named c')).toBe(false);
    nodes.remove(slices, 's');
    expect(nodes.may('update resourceslices.resource.orch.io named s')).toBe(false);
  });

  test('its role has the rules of the release', () => {
    expect(new Nodes(true, newest).may('list clustertrustbundles.certificates.orch.io')).toBe(true);
    expect(new Nodes().may('list clustertrustbundles.certificates.orch.io')).toBe(false);
    expect(new Nodes().may('get resourceclaims.resource.orch.io in web named named')).toBe(false);
  });
});
