/** DefaultStorageClass: claims that name no class get the default one. An empty name means: none. */
import type { PersistentVolumeClaim as ClaimFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { isCreationOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { defaultClass } from './default-class.ts';
import type { ObjectReader } from './object-reader.ts';

export function createDefaultStorageClass(reader: ObjectReader, naming: NamingProfile): AdmissionPlugin {
  const { apiDomain, labelDomain } = naming;
  const prefixes = ['storageclass.', 'storageclass.beta.'];
  const annotations = prefixes.map((prefix) => `${prefix}${labelDomain}/is-default-class`);
  return {
    name: 'DefaultStorageClass',
    admit(attributes): void {
      if (!isCreationOf(attributes, 'persistentvolumeclaims')) return;
      const { metadata, spec = {} } = attributes.object as Stored<ClaimFields>;
      const older = metadata.annotations?.[`volume.beta.${labelDomain}/storage-class`];
      if (spec.storageClassName !== undefined || older !== undefined) return;
      const classes = reader.list(`storage.${apiDomain}/storageclasses`, '');
      const name = defaultClass(attributes, { classes, annotations, plural: 'StorageClasses' });
      if (name !== undefined) spec.storageClassName = name;
    },
  };
}
