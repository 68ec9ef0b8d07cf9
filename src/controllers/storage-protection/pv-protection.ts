/** `pv-protection`: volumes stay while they are bound to a claim. */
import type { PersistentVolume } from '../../api/core/v1.types.ts';
import { volumeProtection } from '../../api/core/storage-protection.ts';
import type { Stored } from '../../api/define.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { coreResource } from '../core-resources.ts';
import type { Controller, ControllerContext } from '../types.ts';
import { createInUseProtection } from './in-use-protection.ts';

export function createVolumeProtection({
  naming,
  ...context
}: ControllerContext & { readonly naming: NamingProfile }): Controller {
  return createInUseProtection({
    ...context,
    name: 'pv-protection',
    resource: coreResource('PersistentVolume', 'persistentvolumes', false),
    finalizer: volumeProtection(naming),
    isFree: (volume) => (volume as Stored<PersistentVolume>).status?.phase !== 'Bound',
  });
}
