/** `pv-protection`: volumes stay while they are bound to a claim. */
import type { PersistentVolume } from '../../api/core/v1.types.ts';
import { volumeProtection } from '../../api/core/storage-protection.ts';
import type { Stored } from '../../api/define.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { coreResource } from '../core-resources.ts';
import type { ApiClient, Controller, ControllerLog, ControllerMetrics } from '../types.ts';
import { createInUseProtection } from './in-use-protection.ts';

export function createVolumeProtection(frame: {
  readonly client: ApiClient;
  readonly log: ControllerLog;
  readonly metrics: ControllerMetrics;
  readonly naming: NamingProfile;
}): Controller {
  const { naming, ...rest } = frame;
  return createInUseProtection({
    ...rest,
    name: 'pv-protection',
    resource: coreResource('PersistentVolume', 'persistentvolumes', false),
    finalizer: volumeProtection(naming),
    isUsed: (volume) => (volume as Stored<PersistentVolume>).status?.phase === 'Bound',
  });
}
