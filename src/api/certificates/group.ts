/** Certificate signing requests. */
import type { GroupDefinition } from '../types.ts';
import { certificateSigningRequests } from './certificate-signing-requests.ts';

export const certificatesGroup: GroupDefinition = {
  group: 'certificates.{api}',
  folder: 'certificates',
  groupPriorityMinimum: 17300,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
  ],
  resources: [certificateSigningRequests],
};
