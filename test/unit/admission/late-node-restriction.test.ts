/** NodeRestriction of later releases: a table of writes of the node `n1`, and what it is told. */
import { createNodeRestriction } from '../../../src/admission/node-restriction/plugin.ts';
import { attributesOf, naming, outcomeOf, readerOf, type Write } from '../../support/admission.ts';

const n1 = { name: 'system:node:n1', groups: ['system:nodes'] };
const ownPod = { metadata: { name: 'own', uid: 'uid-own' }, spec: { nodeName: 'n1' } };
const otherPod = { metadata: { name: 'other', uid: 'uid-other' }, spec: { nodeName: 'n2' } };
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'uid-n1', controller: true };
const claimBefore = { spec: { volumeName: 'v' }, status: { phase: 'Bound', capacity: { storage: '1Gi' } } };
const larger = { ...claimBefore, status: { phase: 'Bound', capacity: { storage: '2Gi' } } };
const claim = { resource: 'persistentvolumeclaims/status', oldObject: claimBefore } as const;

function mirrorPod(spec: object): Pick<Write, 'resource' | 'object'> {
  const metadata = { annotations: { 'orch.io/config.mirror': 'hash' }, ownerReferences: [owner] };
  return { resource: 'pods', object: { metadata, spec: { nodeName: 'n1', ...spec } } };
}

const volume = (source: object): object => ({ name: 'v', projected: { sources: [source] } });
const podWith = (...volumes: object[]): object => ({
  metadata: { name: 'own', uid: 'uid-own' },
  spec: { nodeName: 'n1', serviceAccountName: 'default', volumes },
});
const signing = { podCertificate: { signerName: 'example.com/signer' } };
const lateReader = readerOf({
  'core/nodes/n1': { metadata: { name: 'n1', uid: 'uid-n1' } },
  'core/serviceaccounts/web/default': { metadata: { name: 'default', uid: 'uid-default' } },
  'core/pods/web/own': podWith(
    volume({ serviceAccountToken: { audience: 'vault' } }),
    volume({ serviceAccountToken: {} }),
    volume(signing),
    { name: 'c', persistentVolumeClaim: { claimName: 'disk' } },
  ),
  'core/pods/web/other': otherPod,
  'core/persistentvolumeclaims/web/disk': { spec: { volumeName: 'v1' } },
  'core/persistentvolumes/v1': { spec: { csi: { driver: 'csi.example.com' } } },
  'storage.orch.io/csidrivers/csi.example.com': { spec: { tokenRequests: [{ audience: 'cloud' }] } },
});
const late = createNodeRestriction(lateReader, naming, {
  ...{ slices: true, podCertificates: true, certificates: true, reportsGrowth: true },
  mayAsk: (_attributes, audience) => Promise.resolve(audience === 'granted'),
});
const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'own', uid: 'uid-own' };
const tokenFor = (...audiences: string[]): Write => ({
  ...{ resource: 'serviceaccounts/token', name: 'default' },
  object: { spec: { boundObjectRef, audiences } },
});
const unnamed = (audience: string): string =>
  `403 audience "${audience}" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience`;
const slices = 'resource.orch.io/v1/resourceslices';
const requests = 'certificates.orch.io/v1beta1/podcertificaterequests';
const about = {
  ...{
    signerName: 'example.com/signer',
    podName: 'own',
    podUID: 'uid-own',
    nodeName: 'n1',
    nodeUID: 'uid-n1',
  },
  ...{ serviceAccountName: 'default', serviceAccountUID: 'uid-default' },
};
const certificate = (spec: object): Write => ({
  resource: requests,
  object: { spec: { ...about, ...spec } },
});
const status = (resourceClaimStatuses: object[]): object => ({
  ...ownPod,
  status: { resourceClaimStatuses },
});
const rows: readonly (readonly [string, Write, string])[] = [
  ['a token for the service', tokenFor(), ''],
  ['a token for an audience of a volume', tokenFor('vault'), ''],
  ['a token for an audience of a driver', tokenFor('cloud'), ''],
  ['a token for an audience that it may ask for', tokenFor('granted'), ''],
  ['a token for another audience', tokenFor('else'), unnamed('else')],
  ['a token for two', tokenFor('vault', 'cloud'), '403 node may only request 0 or 1 audiences'],
  ['a slice of its own', { resource: slices, object: { spec: { nodeName: 'n1' } } }, ''],
  [
    'a slice of another node',
    { resource: slices, object: { spec: { nodeName: 'n2' } } },
    '403 can only create ResourceSlice with the same NodeName as the requesting node',
  ],
  [
    'the deletion of a slice for all nodes',
    { operation: 'DELETE', resource: slices, name: 's', oldObject: { spec: { allNodes: true } } },
    '403 can only delete ResourceSlice with the same NodeName as the requesting node',
  ],
  ['a request for a certificate of its pod', certificate({}), ''],
  [
    'one of another node',
    certificate({ nodeName: 'n2' }),
    '403 PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"',
  ],
  [
    'one of a pod of another node',
    certificate({ podName: 'other', podUID: 'uid-other' }),
    '403 pod "other" is not running on node "n1"',
  ],
  [
    'one of an earlier pod',
    certificate({ podUID: 'old' }),
    '403 PodCertificateRequest for pod "own" contains another UID than the pod has',
  ],
  [
    'one of another signer',
    certificate({ signerName: 'example.com/other' }),
    '403 pod "own" asks for no certificate of signer "example.com/other"',
  ],
  [
    'one of an earlier account',
    certificate({ serviceAccountUID: 'old' }),
    '403 PodCertificateRequest contains another UID than service account "web/default" has',
  ],
  [
    'one of an earlier node',
    certificate({ nodeUID: 'old' }),
    '403 PodCertificateRequest contains another UID than node "n1" has',
  ],
  [
    'a request for a certificate of a node that cannot be read',
    {
      resource: 'certificates.orch.io/v1/certificatesigningrequests',
      object: { spec: { signerName: 'orch.io/kubelet-serving', request: 'AA==' } },
    },
    '403 unable to parse csr',
  ],
  [
    'a mirror pod with a resource claim',
    mirrorPod({ resourceClaims: [{ name: 'r' }] }),
    '403 node "n1" can not create pods that reference resourceclaims',
  ],
  [
    'a mirror pod with a certificate',
    mirrorPod({ volumes: [volume(signing)] }),
    '403 node "n1" can not create pods that reference podcertificates',
  ],
  [
    'the claims of a pod',
    {
      ...{ operation: 'UPDATE', resource: 'pods/status', name: 'own', oldObject: status([]) },
      object: status([{ name: 'r', resourceClaimName: 'theirs' }]),
    },
    '403 node "n1" cannot update resource claim statuses',
  ],
  [
    'how far a volume has grown',
    {
      ...{ ...claim, operation: 'UPDATE', name: 'c' },
      object: { ...larger, status: { ...larger.status, allocatedResources: { storage: '2Gi' } } },
    },
    '',
  ],
];

test.each(rows)('a node writes %s', async (_what, write, outcome) => {
  expect(await outcomeOf(late, attributesOf({ user: n1, ...write }))).toBe(outcome);
});
