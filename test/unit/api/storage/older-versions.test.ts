import type { JsonObject } from '../../../../src/base/json.ts';
import { brief, contextWith, Kind, testErrors } from '../../../support/kind.ts';

describe('CSIStorageCapacity', () => {
  const kind = new Kind('csistoragecapacities.storage');
  const minimal: JsonObject = {
    metadata: { name: 'a', namespace: 'default' },
    storageClassName: 'fast',
    capacity: '1Gi',
  };
  testErrors(kind, minimal, [
    ['storageClassName', '', 'storageClassName Required'],
    ['storageClassName', 'A', 'storageClassName Invalid'],
    ['capacity', '-1', 'capacity Invalid'],
    ['maximumVolumeSize', '-1', 'maximumVolumeSize Invalid'],
    ['nodeTopology', { matchLabels: { 'a b': 'c' } }, 'nodeTopology.matchLabels Invalid'],
  ]);

  test('place and class stay', () => {
    const changed = { ...minimal, storageClassName: 'slow', nodeTopology: {}, capacity: '2Gi' };
    expect(brief(kind.updateErrors(kind.created(minimal), changed))).toEqual([
      'nodeTopology Invalid',
      'storageClassName Invalid',
    ]);
  });
});

test('a VolumeAttachment of the older versions has its status with it, and no subresource', () => {
  const beta = new Kind('volumeattachments.storage', contextWith({ version: 'v1beta1' }));
  const spec = { attacher: 'csi.example.com', nodeName: 'n1', source: { persistentVolumeName: 'pv' } };
  const sent = { metadata: { name: 'a' }, spec, status: { attached: true } };
  expect(beta.created(sent)['status']).toEqual({ attached: true });
  expect(beta.definition.versions.map(({ version, subresources }) => [version, subresources])).toEqual([
    ['v1', undefined],
    ['v1beta1', []],
    ['v1alpha1', []],
  ]);
});
