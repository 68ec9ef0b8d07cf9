/** Admission webhooks. */
import type { GroupDefinition } from '../types.ts';
import { mutatingAdmissionPolicies, mutatingAdmissionPolicyBindings } from './mutating-admission-policies.ts';
import {
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './validating-admission-policies.ts';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from './webhook-configurations.ts';

export const admissionRegistrationGroup: GroupDefinition = {
  group: 'admissionregistration.{api}',
  folder: 'admissionregistration',
  groupPriorityMinimum: 16700,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 12, enabledByDefault: true, served: true },
    { version: 'v1alpha1', versionPriority: 9, enabledByDefault: false, served: true },
  ],
  resources: [
    mutatingAdmissionPolicies,
    mutatingAdmissionPolicyBindings,
    mutatingWebhookConfigurations,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    validatingWebhookConfigurations,
  ],
};
