/** NodeRestriction: a table of writes of the node `n1`, and what it is told. */
import { createNodeRestriction } from '../../../src/admission/node-restriction/plugin.ts';
import { attributesOf, naming, outcomeOf, readerOf, type Write } from '../../support/admission.ts';

const n1 = { name: 'system:node:n1', groups: ['system:nodes'] };
const ownPod = { metadata: { name: 'own', uid: 'uid-own' }, spec: { nodeName: 'n1' } };
const otherPod = { metadata: { name: 'other', uid: 'uid-other' }, spec: { nodeName: 'n2' } };
const reader = readerOf({
  'core/nodes/n1': { metadata: { name: 'n1', uid: 'uid-n1' } },
  'core/pods/web/own': ownPod,
  'core/pods/web/other': otherPod,
});
const plugin = createNodeRestriction(reader, naming);

const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'uid-n1', controller: true };
const mirror = { 'orch.io/config.mirror': 'hash' };

/** A mirror pod of n1 with changes. */
function mirrorPod(spec: object = {}, metadata: object = {}): Pick<Write, 'resource' | 'object'> {
  const meta = { annotations: mirror, ownerReferences: [owner], ...metadata };
  return { resource: 'pods', object: { metadata: meta, spec: { nodeName: 'n1', ...spec } } };
}

function environment(source: object): object {
  return { containers: [{ name: 'main', env: [{ name: 'A', valueFrom: source }] }] };
}

/** An update of the Node n1, from the first to the second. */
function change(before: object, next: object): Write {
  return { operation: 'UPDATE', resource: 'nodes', name: 'n1', oldObject: before, object: next };
}

function labelled(labels: Record<string, string>): object {
  return { metadata: { labels } };
}

function token(boundObjectRef?: object): Write {
  return { resource: 'serviceaccounts/token', name: 'default', object: { spec: { boundObjectRef } } };
}

const lease = 'coordination.orch.io/v1/leases';
const csiNode = 'storage.orch.io/v1/csinodes';
const claimBefore = { spec: { volumeName: 'v' }, status: { phase: 'Bound', capacity: { storage: '1Gi' } } };
const larger = { ...claimBefore, status: { phase: 'Bound', capacity: { storage: '2Gi' } } };
const claim = { resource: 'persistentvolumeclaims/status', oldObject: claimBefore } as const;

const table: readonly (readonly [string, Write, string])[] = [
  // Pods.
  ['a mirror pod of its own', mirrorPod(), ''],
  [
    'a pod that mirrors nothing',
    { resource: 'pods', object: { spec: { nodeName: 'n1' } } },
    '403 pod does not have "orch.io/config.mirror" annotation, node "n1" can only create mirror pods',
  ],
  [
    'a mirror pod of another node',
    mirrorPod({ nodeName: 'n2' }),
    '403 node "n1" can only create pods with spec.nodeName set to itself',
  ],
  [
    'one without owner',
    mirrorPod({}, { ownerReferences: [] }),
    '403 node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'one with two owners',
    mirrorPod({}, { ownerReferences: [owner, owner] }),
    '403 node "n1" can only create pods with a single owner reference set to itself',
  ],
  [
    'one of another owner',
    mirrorPod({}, { ownerReferences: [{ ...owner, name: 'n2' }] }),
    '403 node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'an owner that is no controller',
    mirrorPod({}, { ownerReferences: [{ ...owner, controller: false }] }),
    '403 node "n1" can only create pods with a controller owner reference set to itself',
  ],
  [
    'an owner whose deletion waits',
    mirrorPod({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }),
    '403 node "n1" must not set blockOwnerDeletion on an owner reference',
  ],
  [
    'an owner of an earlier node',
    mirrorPod({}, { ownerReferences: [{ ...owner, uid: 'old' }] }),
    '403 node n1 UID mismatch: expected old got uid-n1',
  ],
  [
    'one with an account',
    mirrorPod({ serviceAccountName: 'default' }),
    '403 node "n1" can not create pods that reference a service account',
  ],
  [
    'one with a secret as volume',
    mirrorPod({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }),
    '403 node "n1" can not create pods that reference secrets',
  ],
  [
    'one with a projected secret',
    mirrorPod({ volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 's' } }] } }] }),
    '403 node "n1" can not create pods that reference secrets',
  ],
  [
    'one with a secret of a driver',
    mirrorPod({ volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }] }),
    '403 node "n1" can not create pods that reference secrets',
  ],
  [
    'one with a secret in a variable',
    mirrorPod(environment({ secretKeyRef: { name: 's', key: 'k' } })),
    '403 node "n1" can not create pods that reference secrets',
  ],
  [
    'one with a pull secret',
    mirrorPod({ imagePullSecrets: [{ name: 's' }] }),
    '403 node "n1" can not create pods that reference secrets',
  ],
  [
    'one with a map in a variable',
    mirrorPod(environment({ configMapKeyRef: { name: 'm', key: 'k' } })),
    '403 node "n1" can not create pods that reference configmaps',
  ],
  [
    'one with all of a map as variables',
    mirrorPod({ initContainers: [{ name: 'i', envFrom: [{ configMapRef: { name: 'm' } }] }] }),
    '403 node "n1" can not create pods that reference configmaps',
  ],
  [
    'one with a claim',
    mirrorPod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }),
    '403 node "n1" can not create pods that reference persistentvolumeclaims',
  ],
  ['one with files of its own', mirrorPod({ volumes: [{ name: 'v', hostPath: { path: '/etc' } }] }), ''],
  [
    'an update of a pod',
    { operation: 'UPDATE', resource: 'pods', object: ownPod, oldObject: ownPod },
    '403 unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
  ],
  ['the deletion of its pod', { operation: 'DELETE', resource: 'pods', oldObject: ownPod }, ''],
  [
    'the deletion of another pod',
    { operation: 'DELETE', resource: 'pods', oldObject: otherPod },
    '403 node "n1" can only delete pods with spec.nodeName set to itself',
  ],
  [
    'the status of its pod',
    { operation: 'UPDATE', resource: 'pods/status', object: ownPod, oldObject: ownPod },
    '',
  ],
  [
    'the status of another pod',
    { operation: 'UPDATE', resource: 'pods/status', object: otherPod, oldObject: otherPod },
    '403 node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  [
    'labels by the status',
    {
      operation: 'UPDATE',
      resource: 'pods/status',
      object: { ...ownPod, ...labelled({ a: 'b' }) },
      oldObject: ownPod,
    },
    '403 node "n1" cannot update labels through pod status',
  ],
  ['the eviction of its pod', { resource: 'pods/eviction', name: 'own', object: {} }, ''],
  [
    'the eviction of another pod',
    { resource: 'pods/eviction', name: 'other', object: {} },
    '403 node "n1" can only evict pods with spec.nodeName set to itself',
  ],
  [
    'the eviction of no pod',
    { resource: 'pods/eviction', name: 'none', object: {} },
    '404 pods "none" not found',
  ],
  ['a binding', { resource: 'pods/binding', object: {} }, '403 unexpected pod subresource "binding"'],
  [
    'a shell',
    { operation: 'CONNECT', resource: 'pods/exec', object: {} },
    '403 unexpected pod subresource "exec"',
  ],
  // Nodes.
  [
    'its own Node',
    { resource: 'nodes', name: 'n1', object: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } } },
    '',
  ],
  [
    'another Node',
    { resource: 'nodes', name: 'n2', object: {} },
    '403 node "n1" is not allowed to modify node "n2"',
  ],
  [
    'the status of another Node',
    { operation: 'UPDATE', resource: 'nodes/status', name: 'n2', object: {}, oldObject: {} },
    '403 node "n1" is not allowed to modify node "n2"',
  ],
  [
    'the deletion of another Node',
    { operation: 'DELETE', resource: 'nodes', name: 'n2', oldObject: {} },
    '403 node "n1" is not allowed to modify node "n2"',
  ],
  [
    'a Node with a source',
    { resource: 'nodes', name: 'n1', object: { spec: { configSource: {} } } },
    '403 node "n1" is not allowed to create pods with a non-nil configSource',
  ],
  [
    'a new source',
    change({}, { spec: { configSource: { configMap: {} } } }),
    '403 node "n1" is not allowed to update configSource to a new non-nil configSource',
  ],
  ['a source that goes', change({ spec: { configSource: {} } }, {}), ''],
  [
    'taints',
    change({ spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }, {}),
    '403 node "n1" is not allowed to modify taints',
  ],
  [
    'owners',
    change({}, { metadata: { ownerReferences: [owner] } }),
    '403 node "n1" is not allowed to modify ownerReferences',
  ],
  [
    'labels that it may have at the beginning',
    {
      ...{ resource: 'nodes', name: 'n1' },
      object: labelled({
        'example.com/any': 'x',
        plain: 'x',
        'orch.io/hostname': 'n1',
        'orch.io/os': 'linux',
        'orch.io/arch': 'amd64',
        'topology.orch.io/zone': 'a',
        'topology.orch.io/region': 'a',
        'failure-domain.beta.orch.io/zone': 'a',
        'beta.orch.io/os': 'linux',
        'beta.orch.io/instance-type': 'x',
        'node.orch.io/instance-type': 'x',
        'kubelet.orch.io/any': 'x',
        'sub.node.orch.io/any': 'x',
      }),
    },
    '',
  ],
  [
    'labels that others give it',
    {
      ...{ resource: 'nodes', name: 'n1' },
      object: labelled({
        'node-role.orch.io/master': '',
        'orch.io/other': 'x',
        'node-restriction.orch.io/a': 'x',
        'sub.node-restriction.orch.io/a': 'x',
        plain: 'x',
      }),
    },
    '403 node "n1" is not allowed to set the following labels: node-restriction.orch.io/a, node-role.orch.io/master, orch.io/other, sub.node-restriction.orch.io/a',
  ],
  [
    'labels that it has been given',
    change(labelled({ 'orch.io/other': 'x' }), labelled({ 'orch.io/other': 'x', plain: 'y' })),
    '',
  ],
  [
    'the loss of a label',
    change(labelled({ 'node-restriction.orch.io/a': 'x' }), {}),
    '403 node "n1" is not allowed to modify labels: node-restriction.orch.io/a',
  ],
  ['a label of a name that objects have', change({}, labelled({ constructor: 'x' })), ''],
  // What stands for it.
  ['its lease', { resource: lease, namespace: 'orch-node-lease', name: 'n1', object: {} }, ''],
  [
    'another lease',
    { resource: lease, namespace: 'orch-node-lease', name: 'n2', object: {} },
    '403 can only access node lease with the same name as the requesting node',
  ],
  [
    'a lease elsewhere',
    { operation: 'UPDATE', resource: lease, namespace: 'orch-system', name: 'n1', object: {} },
    '403 can only access leases in the "orch-node-lease" system namespace',
  ],
  ['its CSINode', { resource: csiNode, name: 'n1', object: {} }, ''],
  [
    'another CSINode',
    { operation: 'DELETE', resource: csiNode, name: 'n2', oldObject: {} },
    '403 can only access CSINode with the same name as the requesting node',
  ],
  // Claims.
  ['a larger claim', { ...claim, operation: 'UPDATE', object: larger }, ''],
  [
    'another phase',
    { ...claim, operation: 'UPDATE', object: { ...claimBefore, status: { phase: 'Lost' } } },
    '403 node "n1" may not update fields other than status.capacity and status.conditions',
  ],
  ['a claim', { resource: 'persistentvolumeclaims', object: claimBefore }, '403 may only update PVC status'],
  // Tokens.
  ['a token for its pod', token({ apiVersion: 'v1', kind: 'Pod', name: 'own', uid: 'uid-own' }), ''],
  ['a token for itself', token(), '403 node requested token not bound to a pod'],
  [
    'a token for a secret',
    token({ apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'u' }),
    '403 node requested token not bound to a pod',
  ],
  [
    'a token for any pod of a name',
    token({ apiVersion: 'v1', kind: 'Pod', name: 'own' }),
    '403 node requested token with a pod binding without a uid',
  ],
  [
    'a token for an earlier pod',
    token({ apiVersion: 'v1', kind: 'Pod', name: 'own', uid: 'old' }),
    '403 the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
  ],
  [
    'a token for another pod',
    token({ apiVersion: 'v1', kind: 'Pod', name: 'other', uid: 'uid-other' }),
    '403 node requested token bound to a pod scheduled on a different node',
  ],
  [
    'a token for no pod',
    token({ apiVersion: 'v1', kind: 'Pod', name: 'none', uid: 'u' }),
    '404 pods "none" not found',
  ],
  ['an account', { resource: 'serviceaccounts', object: {} }, ''],
  // Everything else is for authorization alone.
  ['a ConfigMap', { resource: 'configmaps', object: {} }, ''],
];

test.each(table)('a node writes %s', async (_what, write, outcome) => {
  expect(await outcomeOf(plugin, attributesOf({ user: n1, ...write }))).toBe(outcome);
});

test.each([
  ['somebody else', { name: 'ann', groups: ['system:nodes'] }, ''],
  ['somebody who calls himself a node', { name: 'system:node:n1', groups: [] }, ''],
  [
    'a node without a name',
    { ...n1, name: 'system:node:' },
    '403 could not determine node from user "system:node:"',
  ],
])('%s', async (_who, user, outcome) => {
  const write = { user, resource: 'nodes', name: 'n2', object: {} };
  expect(await outcomeOf(plugin, attributesOf(write))).toBe(outcome);
});
