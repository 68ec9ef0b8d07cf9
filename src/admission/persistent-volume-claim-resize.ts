/** PersistentVolumeClaimResize: a claim grows only while it is bound, and only where its class allows that. */
import { quantityOf } from '../api/core/pod/amounts.ts';
import type { PersistentVolumeClaim as ClaimFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { StorageClass as ClassFields } from '../api/storage/v1.types.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { compareQuantities, type Quantity } from '../meta/quantity.ts';
import { forbidden } from '../meta/status.ts';
import { isAbout } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { find, type ObjectReader } from './object-reader.ts';

type Claim = Stored<ClaimFields>;

const unsupported =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

export function createPersistentVolumeClaimResize(
  reader: ObjectReader,
  naming: NamingProfile,
): AdmissionPlugin {
  const { apiDomain, labelDomain } = naming;
  return {
    name: 'PersistentVolumeClaimResize',
    async validate(attributes): Promise<void> {
      const { operation, scope, name } = attributes;
      if (operation !== 'UPDATE' || !isAbout(attributes, 'persistentvolumeclaims')) return;
      const before = attributes.oldObject as Claim;
      if (compareQuantities(sizeOf(attributes.object as Claim), sizeOf(before)) <= 0) return;
      const forbid = (problem: string): Error => forbidden(scope.resource.gvr, name, problem);
      if (before.status?.phase !== 'Bound')
        throw forbid('Only bound persistent volume claims can be expanded');
      const older = before.metadata.annotations?.[`volume.beta.${labelDomain}/storage-class`];
      const className = older ?? before.spec?.storageClassName ?? '';
      const collection = `storage.${apiDomain}/storageclasses`;
      const found = className === '' ? undefined : await find(reader, collection, className, scope.signal);
      if ((found as Stored<ClassFields> | undefined)?.allowVolumeExpansion !== true)
        throw forbid(unsupported);
    },
  };
}

function sizeOf({ spec }: Claim): Quantity {
  return quantityOf(spec?.resources?.requests?.['storage']);
}
