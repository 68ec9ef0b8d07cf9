/** Admission webhooks. */
import type { GroupDefinition } from '../types.ts';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from './webhook-configurations.ts';

export const admissionRegistrationGroup: GroupDefinition = {
  group: 'admissionregistration.{api}',
  folder: 'admissionregistration',
  groupPriorityMinimum: 16700,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 12, enabledByDefault: true, served: true },
  ],
  resources: [mutatingWebhookConfigurations, validatingWebhookConfigurations],
};
