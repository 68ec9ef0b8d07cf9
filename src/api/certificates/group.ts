/** Certificate signing requests. */
import type { GroupDefinition } from '../types.ts';
import { certificateSigningRequests } from './certificate-signing-requests.ts';
import { clusterTrustBundles } from './cluster-trust-bundles.ts';
import { podCertificateRequests } from './pod-certificate-requests.ts';

export const certificatesGroup: GroupDefinition = {
  group: 'certificates.{api}',
  folder: 'certificates',
  groupPriorityMinimum: 17300,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
    { version: 'v1alpha1', versionPriority: 1, enabledByDefault: false, served: true },
  ],
  resources: [certificateSigningRequests, clusterTrustBundles, podCertificateRequests],
};
