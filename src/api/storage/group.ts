/** Storage classes, drivers and what is attached where. */
import type { GroupDefinition } from '../types.ts';
import { csiDrivers } from './csi-drivers.ts';
import { csiNodes } from './csi-nodes.ts';
import { csiStorageCapacities } from './csi-storage-capacities.ts';
import { storageClasses } from './storage-classes.ts';
import { volumeAttachments } from './volume-attachments.ts';
import { volumeAttributesClasses } from './volume-attributes-classes.ts';

export const storageGroup: GroupDefinition = {
  group: 'storage.{api}',
  folder: 'storage',
  groupPriorityMinimum: 16800,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
    { version: 'v1alpha1', versionPriority: 1, enabledByDefault: false, served: true },
  ],
  resources: [
    csiDrivers,
    csiNodes,
    csiStorageCapacities,
    storageClasses,
    volumeAttachments,
    volumeAttributesClasses,
  ],
};
