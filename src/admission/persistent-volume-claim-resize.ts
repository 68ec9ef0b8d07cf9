/** PersistentVolumeClaimResize: a claim grows only while it is bound, and only where its class allows that. */
import { quantityOf } from '../api/core/pod/amounts.ts';
import type { PersistentVolumeClaim as ClaimFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { StorageClass as ClassFields } from '../api/storage/v1.types.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { compareQuantities, type Quantity } from '../meta/quantity.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
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
  return {
    name: 'PersistentVolumeClaimResize',
    validate: (attributes) => (grows(attributes) ? assertMayGrow(attributes, reader, naming) : undefined),
  };
}

function grows(attributes: AdmissionAttributes): boolean {
  const { operation, object, oldObject } = attributes;
  if (operation !== 'UPDATE' || !isAbout(attributes, 'persistentvolumeclaims')) return false;
  return compareQuantities(sizeOf(object as Claim), sizeOf(oldObject as Claim)) > 0;
}

/** @throws StatusError 403 */
async function assertMayGrow(
  { scope, name, oldObject }: AdmissionAttributes,
  reader: ObjectReader,
  { apiDomain, labelDomain }: NamingProfile,
): Promise<void> {
  const before = oldObject as Claim;
  const forbid = (problem: string): Error => forbidden(scope.resource.gvr, name, problem);
  if (before.status?.phase !== 'Bound') throw forbid('Only bound persistent volume claims can be expanded');
  const older = before.metadata.annotations?.[`volume.beta.${labelDomain}/storage-class`];
  const className = older ?? before.spec?.storageClassName ?? '';
  const collection = `storage.${apiDomain}/storageclasses`;
  const found = className === '' ? undefined : await find(reader, collection, className, scope.signal);
  if ((found as Stored<ClassFields> | undefined)?.allowVolumeExpansion !== true) throw forbid(unsupported);
}

function sizeOf({ spec }: Claim): Quantity {
  return quantityOf(spec?.resources?.requests?.['storage']);
}
