/** Plugins that look at claims, volumes, classes and ingresses. */
import { createDefaultIngressClass } from '../../../src/admission/default-ingress-class.ts';
import { createDefaultStorageClass } from '../../../src/admission/default-storage-class.ts';
import { createPersistentVolumeClaimResize } from '../../../src/admission/persistent-volume-claim-resize.ts';
import { createStorageObjectInUseProtection } from '../../../src/admission/storage-object-in-use-protection.ts';
import { attributesOf, naming, outcomeOf, readerOf, type Write } from '../../support/admission.ts';

function marked(name: string, kind: 'storageclass' | 'ingressclass', isDefault = 'true'): object {
  const annotations = { [`${kind}.orch.io/is-default-class`]: isDefault };
  return { metadata: { name, annotations } };
}

const classes = {
  'storage.orch.io/storageclasses/fast': { ...marked('fast', 'storageclass'), allowVolumeExpansion: true },
  'storage.orch.io/storageclasses/fixed': { metadata: { name: 'fixed' } },
  'storage.orch.io/storageclasses/no': marked('no', 'storageclass', 'false'),
  'networking.orch.io/ingressclasses/front': marked('front', 'ingressclass'),
};
const twice = {
  ...classes,
  'storage.orch.io/storageclasses/other': marked('other', 'storageclass'),
  'networking.orch.io/ingressclasses/other': marked('other', 'ingressclass'),
};

/** The class that a new object has in the end. */
async function classOf(
  { resource, object }: Pick<Write, 'resource' | 'object'>,
  among: Readonly<Record<string, object>>,
): Promise<unknown> {
  const attributes = attributesOf({ resource, object: { spec: {}, ...object } });
  const ofClaims = resource === 'persistentvolumeclaims';
  const plugin = (ofClaims ? createDefaultStorageClass : createDefaultIngressClass)(readerOf(among), naming);
  const outcome = await outcomeOf(plugin, attributes);
  const spec = attributes.object?.['spec'] as Record<string, unknown>;
  return outcome === '' ? spec[ofClaims ? 'storageClassName' : 'ingressClassName'] : outcome;
}

const claims = 'persistentvolumeclaims';
const ingresses = 'networking.orch.io/v1/ingresses';
const older = { metadata: { annotations: { 'volume.beta.orch.io/storage-class': 'x' } } };
const olderIngress = { metadata: { annotations: { 'orch.io/ingress.class': 'x' } } };

test.each<readonly [string, Write, Readonly<Record<string, object>>, unknown]>([
  ['a claim without one', { resource: claims, object: {} }, classes, 'fast'],
  [
    'a claim with one',
    { resource: claims, object: { spec: { storageClassName: 'fixed' } } },
    classes,
    'fixed',
  ],
  ['a claim that wants none', { resource: claims, object: { spec: { storageClassName: '' } } }, classes, ''],
  ['a claim with one of the older way', { resource: claims, object: older }, classes, undefined],
  ['a claim where there is none', { resource: claims, object: {} }, {}, undefined],
  [
    'a claim where there are two',
    { resource: claims, object: {} },
    twice,
    '403 Internal error occurred: 2 default StorageClasses were found',
  ],
  ['an ingress without one', { resource: ingresses, object: {} }, classes, 'front'],
  [
    'an ingress with one',
    { resource: ingresses, object: { spec: { ingressClassName: 'back' } } },
    classes,
    'back',
  ],
  ['an ingress with one of the older way', { resource: ingresses, object: olderIngress }, classes, undefined],
  [
    'an ingress of an older version',
    { resource: 'extensions/v1beta1/ingresses', object: {} },
    classes,
    'front',
  ],
  [
    'an ingress where there are two',
    { resource: ingresses, object: {} },
    twice,
    '403 Internal error occurred: 2 default IngressClasses were found',
  ],
])('the class of %s', async (_what, write, among, expected) => {
  expect(await classOf(write, among)).toBe(expected);
});

function claim(storageClassName: string, storage: string, phase = 'Bound'): object {
  return { spec: { storageClassName, resources: { requests: { storage } } }, status: { phase } };
}

const unsupported =
  '403 only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

test.each([
  ['grows where its class allows it', claim('fast', '1Gi'), claim('fast', '2Gi'), ''],
  ['grows where its class does not', claim('fixed', '1Gi'), claim('fixed', '2Gi'), unsupported],
  ['grows without a class', claim('', '1Gi'), claim('', '2Gi'), unsupported],
  ['grows with a class that is gone', claim('gone', '1Gi'), claim('gone', '2Gi'), unsupported],
  [
    'grows before it is bound',
    claim('fast', '1Gi', 'Pending'),
    claim('fast', '2Gi', 'Pending'),
    '403 Only bound persistent volume claims can be expanded',
  ],
  ['says the same in other words', claim('fixed', '1Gi'), claim('fixed', '1024Mi'), ''],
  ['shrinks, which is refused elsewhere', claim('fixed', '2Gi'), claim('fixed', '1Gi'), ''],
])('a claim that %s', async (_what, oldObject, object, outcome) => {
  const plugin = createPersistentVolumeClaimResize(readerOf(classes), naming);
  const write = { operation: 'UPDATE', resource: claims, oldObject, object } as const;
  expect(await outcomeOf(plugin, attributesOf(write))).toBe(outcome);
});

test.each<readonly [string, Write, string[] | undefined]>([
  ['a claim', { resource: claims, object: {} }, ['orch.io/pvc-protection']],
  ['a volume', { resource: 'persistentvolumes', object: {} }, ['orch.io/pv-protection']],
  [
    'a claim with others',
    { resource: claims, object: { metadata: { finalizers: ['a.b/c'] } } },
    ['a.b/c', 'orch.io/pvc-protection'],
  ],
  [
    'a claim that has it',
    { resource: claims, object: { metadata: { finalizers: ['orch.io/pvc-protection'] } } },
    ['orch.io/pvc-protection'],
  ],
  ['a claim that changes', { operation: 'UPDATE', resource: claims, object: {}, oldObject: {} }, undefined],
  ['another kind', { resource: 'configmaps', object: {} }, undefined],
])('finalizers of %s', async (_what, write, finalizers) => {
  const attributes = attributesOf(write);
  expect(await outcomeOf(createStorageObjectInUseProtection(naming), attributes)).toBe('');
  expect(attributes.object?.metadata.finalizers).toEqual(finalizers);
});
