/** Authentication: reviews of tokens. */
import type { GroupDefinition } from '../types.ts';
import { selfSubjectReviews } from './self-subject-reviews.ts';
import { tokenReviews } from './token-reviews.ts';

export const authenticationGroup: GroupDefinition = {
  group: 'authentication.{api}',
  folder: 'authentication',
  groupPriorityMinimum: 17700,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
    { version: 'v1alpha1', versionPriority: 1, enabledByDefault: false, served: true },
  ],
  resources: [selfSubjectReviews, tokenReviews],
};
