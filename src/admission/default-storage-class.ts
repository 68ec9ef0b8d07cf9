/** DefaultStorageClass: claims that name no class get the default one. An empty name means: none. */
import type { PersistentVolumeClaim as ClaimFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { isCreationOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { createDefaultClass } from './default-class.ts';
import type { ObjectReader } from './object-reader.ts';

export function createDefaultStorageClass(reader: ObjectReader, naming: NamingProfile): AdmissionPlugin {
  const { apiDomain, labelDomain } = naming;
  const prefixes = ['storageclass.', 'storageclass.beta.'];
  const annotations = prefixes.map((prefix) => `${prefix}${labelDomain}/is-default-class`);
  const collection = `storage.${apiDomain}/storageclasses`;
  const defaultClass = createDefaultClass(reader, { collection, annotations, plural: 'StorageClasses' });
  return {
    name: 'DefaultStorageClass',
    admit(attributes): MaybePromise<void> {
      if (!isCreationOf(attributes, 'persistentvolumeclaims')) return;
      const { metadata, spec = {} } = attributes.object as Stored<ClaimFields>;
      const older = metadata.annotations?.[`volume.beta.${labelDomain}/storage-class`];
      if (spec.storageClassName !== undefined || older !== undefined) return;
      return whenReady(defaultClass(attributes), (name) => {
        if (name !== undefined) spec.storageClassName = name;
      });
    },
  };
}
