/**
 * StorageObjectInUseProtection: new volumes and claims get a finalizer, with which the controllers `pv-protection` and
 * `pvc-protection` keep them until nothing uses them any more.
 */
import type { NamingProfile } from '../meta/naming.ts';
import { claimProtection, volumeProtection } from '../api/core/storage-protection.ts';
import { isCreationOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export function createStorageObjectInUseProtection(naming: NamingProfile): AdmissionPlugin {
  const finalizers = [
    { resource: 'persistentvolumes', finalizer: volumeProtection(naming) },
    { resource: 'persistentvolumeclaims', finalizer: claimProtection(naming) },
  ];
  return {
    name: 'StorageObjectInUseProtection',
    admit(attributes): void {
      const found = finalizers.find(({ resource }) => isCreationOf(attributes, resource));
      const metadata = attributes.object?.metadata;
      if (!found || !metadata || metadata.finalizers?.includes(found.finalizer)) return;
      metadata.finalizers = [...(metadata.finalizers ?? []), found.finalizer];
    },
  };
}
